import { describe, expect, test } from 'vitest';
import { isSlower, type Speed } from '../../bench/figures/speed.ts';
import { outliers, steadier, type GroupRun } from '../../bench/figures/group-run.ts';
import { speedIn, speedLine, whyKept } from '../../bench/report/speed-line.ts';

const USUAL: Speed = { requestsPerSecond: 40_000, loopsPerSecond: 60 };

const slowed = (by: number): Speed => ({
  ...USUAL,
  requestsPerSecond: USUAL.requestsPerSecond * (1 - by),
});

const run = (round: number, ...speeds: readonly Speed[]): GroupRun => ({
  group: [],
  round,
  samples: [],
  speeds,
});

function page(speed: Speed): string {
  return `# Performance\n\n${speedLine(speed)} No cell …\n`;
}

describe('what is measured beside a calibration', () => {
  test.each([
    ['before', run(1, slowed(0.2), USUAL)],
    ['after', run(1, USUAL, slowed(0.2))],
    ['that is faster', run(1, USUAL, slowed(-0.2))],
    ['of the processor alone', run(1, USUAL, { ...USUAL, loopsPerSecond: 50 })],
  ])('is marked if that is off: one %s', (_which, off) => {
    const steady = [0, 2, 3].map((round) => run(round, USUAL, slowed(0.09)));
    expect(outliers([...steady, off])).toEqual([off]);
  });

  test('is measured again where it is worst first', () => {
    const steady = Array.from({ length: 5 }, () => run(0, USUAL, USUAL));
    const off = [0.2, 0.5, 0.3].map((by, round) => run(round, USUAL, slowed(by)));
    expect(outliers([...steady, ...off]).map(({ round }) => round)).toEqual([1, 2, 0]);
  });

  test('takes the place of what it repeats if the machine was more as usual', () => {
    const first = run(0, USUAL, slowed(0.3));
    const better = run(0, USUAL, slowed(0.2));
    expect(steadier(first, better, USUAL)).toBe(better);
    expect(steadier(better, first, USUAL)).toBe(better);
  });
});

describe('a report', () => {
  test('tells the speed of its machine so that it can be read back', () => {
    expect(speedIn(page(USUAL))).toEqual(USUAL);
    expect(speedIn('# Performance')).toBeUndefined();
  });

  test('of a slow machine never takes the place of one of a fast one', () => {
    expect(whyKept(page(USUAL), slowed(0.2))).toMatch(
      /^docs\/results\/benchmark.md is left unchanged/,
    );
    expect(whyKept(page(USUAL), { ...USUAL, loopsPerSecond: 50 })).toMatch(/50\.0 loops/);
    expect(isSlower(slowed(0.2), USUAL)).toBe(true);
  });

  test('of a machine as fast, or faster, does, and so does the first one', () => {
    expect(whyKept(page(USUAL), slowed(0.09))).toBeUndefined();
    expect(whyKept(page(slowed(0.5)), USUAL)).toBeUndefined();
    expect(whyKept('# Performance', slowed(0.5))).toBeUndefined();
  });
});
