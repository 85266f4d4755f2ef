import { expect, test } from 'vitest';
import type { Figures } from '../../soak/figures.ts';
import { soakPage } from '../../soak/page.ts';
import { plot } from '../../soak/plot.ts';
import { report, summary } from '../../soak/report.ts';
import type { Results } from '../../soak/soak.ts';
import { failuresOf } from '../../soak/verdict.ts';

/** Of five seconds each, one for each number. */
function figuresWith(memory: readonly (number | undefined)[]): Figures[] {
  return memory.map((rss, index) => ({
    at: index * 5,
    requests: { good: 45, unavailable: 5, unanswered: 0, wrong: 0 },
    p50: 1,
    p99: 10,
    slowest: 1000,
    rss,
    eventLoopDelay: 2,
  }));
}

const RESULTS: Results = {
  machine: {
    date: '2026-11-21',
    commit: 'abc',
    cores: 2,
    processor: 'Any',
    memory: 4,
    kernel: '6',
    node: '26',
    postgres: '18',
    wrk: '',
  },
  minutes: 1,
  rate: 10,
  isEmbedded: true,
  figures: figuresWith([undefined, 100]),
  recoveries: [{ fault: 'killed', at: 3, repaired: 4, refused: 5, recovery: 2000 }],
  pets: 100,
  creates: { additions: 2, requests: 3, acknowledged: 2 },
  misfits: [],
  wrong: [],
};

/** An hour, each second tenth of which has the first of two sizes, and each last one the other. */
const hourOf = (second: number, last: number): Partial<Results> => ({
  minutes: 60,
  figures: figuresWith(
    Array.from({ length: 720 }, (_, index) => (index < 72 ? 9 : index < 144 ? second : last)),
  ),
});

test('a report tells the shares of requests, the faults, and that all is right', () => {
  const text = report(RESULTS);
  expect(text).toContain('Each of them is in the database exactly once');
  expect(text).toMatch(/\| done +\| +90 \| 90\.000 % \|/);
  expect(text).toMatch(/\| killed \| +1 \| +1000\.0 \| +1000\.0 \| +2000\.0 \| +2000\.0 \| +5 \|/);
  expect(text).not.toContain('Failed');
});

test('the page has ranges instead of a table of tenths', () => {
  const text = summary({ ...RESULTS, figures: figuresWith([80, undefined, 100]) });
  expect(text).toContain(
    'the median p50 was 1.00 to 1.00 ms and the median p99 10.0 to 10.0 ms. The slowest response took 1000.0 ms.\nMemory was 100 MiB at most, and the event loop was delayed by 2.00 ms at most.\n',
  );
  expect(text).not.toContain('| from');
});

test('the page says whether the run passed', () => {
  expect(soakPage(RESULTS)).toContain('**The run passed.**');
  expect(soakPage({ ...RESULTS, wrong: ['500'] })).toContain('**The run failed.**');
});

test('a report tells what is not right', () => {
  const text = report({ ...RESULTS, misfits: ['nobody asked for a'], wrong: ['500'] });
  expect(text).toContain('1 are not right.\n');
  expect(text).toContain('## Failed\n\n- nobody asked for a\n- 500\n');
  expect(text).not.toContain('exactly once');
});

test('a report compares the memory of the last tenth with that of the second', () => {
  expect(report({ ...RESULTS, ...hourOf(200, 250) })).toContain(
    '\nThe median RSS of the last tenth is 1.25 × that of the second.\n',
  );
});

test.each<[string, Partial<Results>]>([
  ['in which all is right', {}],
  ['of full length in which memory grows by half', hourOf(200, 300)],
  ['that is short, in which memory doubles', { ...hourOf(100, 200), minutes: 59 }],
])('a run %s does not fail', (_what, results) => {
  expect(failuresOf({ ...RESULTS, ...results })).toEqual([]);
});

test.each<[string, Partial<Results>, string]>([
  ['with an animal that is lost', { misfits: ['a is lost'] }, 'a is lost'],
  ['with a wrong answer', { wrong: ['500'] }, '500'],
  [
    'with a recovery that takes more than 2 s',
    { recoveries: [{ fault: 'killed', at: 30, repaired: 31, refused: 5, recovery: 2001 }] },
    'killed, at 30 s: a request was not done 2,001 ms after the repair, more than 2,000',
  ],
  [
    'of full length in which memory grows by more than half',
    hourOf(200, 302),
    'the memory of the last tenth is 1.51 times that of the second',
  ],
])('a run %s fails', (_what, results, failure) => {
  expect(failuresOf({ ...RESULTS, ...results })).toEqual([failure]);
});

test('a plot has a line for each fault in each panel, and a gap where there was no process', () => {
  const svg = plot({ ...RESULTS, figures: figuresWith([100, undefined, 100]) });
  expect(svg.match(/class="fault" d="M43\.8 0/g)).toHaveLength(4);
  const [, memory] = /Memory[^]*?class="line a" d="([^"]*)"/.exec(svg) ?? [];
  expect(memory).toBe('M0 0M146 0');
});
