import { describe, expect, test } from 'vitest';
import type { TimedAnswer, Trial } from './trial.ts';
import { failuresOf, figuresOf } from './verdict.ts';

/** As many answers. */
function answers(
  count: number,
  part: Partial<Pick<TimedAnswer, 'milliseconds' | 'ownMilliseconds' | 'what'>> = {},
): TimedAnswer[] {
  const { milliseconds = 10, ownMilliseconds = milliseconds, what = 'good' } = part;
  const answer = { due: 0, milliseconds, ownMilliseconds, what, added: undefined };
  return Array.from({ length: count }, () => answer);
}

const KEPT: Trial = {
  attack: { connections: 64 },
  traffic: { connections: 64, bytes: 64 * 26 },
  known: [...answers(198), ...answers(1, { milliseconds: 4000 }), ...answers(1, { what: '503' })],
  late: answers(100, { milliseconds: 250 }),
  heapPeak: 299e6,
  seconds: 9.9,
  exit: '0',
};

describe('the promise', () => {
  test('is kept by a trial within its bounds', () => {
    expect(failuresOf(KEPT)).toEqual([]);
  });

  test('is kept by a service that others kept from the processors', () => {
    const late = answers(100, { milliseconds: 900, ownMilliseconds: 250 });
    expect(failuresOf({ ...KEPT, late })).toEqual([]);
  });

  test('is kept beside an attack that only connects', () => {
    const traffic = { connections: 64, bytes: 0 };
    expect(failuresOf({ ...KEPT, attack: { connections: 64, isIdle: true }, traffic })).toEqual([]);
  });

  test.each<[string, Partial<Trial>]>([
    ['more than one in 200 lost', { late: [...answers(198), ...answers(2, { what: '503' })] }],
    ['nothing asked', { known: [] }],
    ['more than one in 100 late', { late: [...answers(98), ...answers(2, { milliseconds: 251 })] }],
    ['too large a heap', { heapPeak: 300e6 }],
    ['a heap that nobody saw', { heapPeak: Number.NaN }],
    ['a heap that is none', { heapPeak: 0 }],
    ['an attack that connects less than it says', { traffic: { connections: 63, bytes: 1e9 } }],
    ['an attack that sends nothing', { traffic: { connections: 64, bytes: 0 } }],
    ['an end that takes too long', { seconds: 10.1 }],
    ['an end by a signal', { exit: 'SIGABRT' }],
  ])('is broken by %s', (_what, part) => {
    expect(failuresOf({ ...KEPT, ...part })).not.toEqual([]);
  });
});

test('figures are of all answers', () => {
  const all = [...answers(99), ...answers(1, { milliseconds: 5000, what: 'ABORT_ERR' })];
  expect(figuresOf(all)).toEqual({ answered: 0.99, p50: 10, p99: 10, slowest: 5000 });
});
