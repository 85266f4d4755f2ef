import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FAULTS } from '../../soak/faults.ts';
import { createRecorder, type Figures } from '../../soak/figures.ts';
import { PAGE, soakPage } from '../../soak/page.ts';
import { report } from '../../soak/report.ts';
import type { Results } from '../../soak/soak.ts';
import { failuresOf } from '../../soak/verdict.ts';
import { MACHINE } from '../support/bench-machine.ts';
import { formOf } from '../support/documentation/links.ts';
import { ROOT } from '../support/documentation/newcomer.ts';

/** Returns figures with these memory values, one for every five seconds. */
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
  machine: MACHINE,
  minutes: 1,
  rate: 10,
  isEmbedded: true,
  figures: figuresWith([undefined, 100]),
  recoveries: [{ fault: 'killed', at: 3, repaired: 4, refused: 5, recovery: 2000 }],
  pets: 100,
  creates: { additions: 2, requests: 3, acknowledged: 2 },
  inconsistencies: [],
  wrong: [],
};

/** An hour whose second tenth has one memory size and whose later tenths have another. */
const hourOf = (second: number, last: number): Partial<Results> => ({
  minutes: 60,
  figures: figuresWith(
    Array.from({ length: 720 }, (_, index) => (index < 72 ? 9 : index < 144 ? second : last)),
  ),
});

test('docs/results/soak.md has the format that npm run soak writes', () => {
  const recoveries = FAULTS.map(({ name }) => ({
    fault: name,
    at: 3,
    repaired: 4,
    refused: 5,
    recovery: 0,
  }));
  const page = soakPage({ ...RESULTS, ...hourOf(100, 100), recoveries, pets: 100_000 });
  expect(page).toContain('**The run passed.**');
  expect(formOf(readFileSync(join(ROOT, PAGE), 'utf8'))).toBe(formOf(page));
  expect(soakPage({ ...RESULTS, wrong: ['500'] })).toContain('**The run failed.**');
});

test('each figure covers five seconds, and a request without a response has no latency', () => {
  let time = 0;
  const recorder = createRecorder(() => time);
  for (let milliseconds = 1; milliseconds <= 100; milliseconds += 1) {
    recorder.answered({ outcome: 'good', milliseconds });
  }
  recorder.answered({ outcome: 'unanswered', milliseconds: 5000 });
  recorder.probed({ rss: 2 ** 20, eventLoopDelay: 3 });
  recorder.probed({ rss: 3 * 2 ** 20, eventLoopDelay: 2 });
  time = 12;
  recorder.answered({ outcome: 'unavailable', milliseconds: 7 });
  const requests = { good: 0, unavailable: 0, unanswered: 0, wrong: 0 };
  const none = { rss: undefined, eventLoopDelay: undefined };
  expect(recorder.figures()).toEqual([
    {
      at: 0,
      requests: { ...requests, good: 100, unanswered: 1 },
      p50: 50,
      p99: 99,
      slowest: 100,
      rss: 3,
      eventLoopDelay: 3,
    },
    { at: 10, requests: { ...requests, unavailable: 1 }, p50: 7, p99: 7, slowest: 7, ...none },
  ]);
});

test('a report lists the shares of requests, the faults, the growth of memory and the failures', () => {
  const text = report(RESULTS);
  expect(text).toContain('Each of them is in the database exactly once');
  expect(text).toMatch(/\| succeeded +\| +90 \| 90\.000 % \|/);
  expect(text).toMatch(/\| killed \| +1 \| +1000\.0 \| +1000\.0 \| +2000\.0 \| +2000\.0 \| +5 \|/);
  expect(text).not.toContain('Failed');
  expect(report({ ...RESULTS, ...hourOf(200, 250) })).toContain(
    '\nThe median RSS of the last tenth is 1.25 × that of the second.\n',
  );
  const failed = report({ ...RESULTS, inconsistencies: ['nobody asked for a'], wrong: ['500'] });
  expect(failed).toContain('## Failed\n\n- nobody asked for a\n- 500\n');
  expect(failed).not.toContain('exactly once');
});

test.each<[string, Partial<Results>, readonly string[]]>([
  ['everything is right', {}, []],
  ['memory grows by half in an hour', hourOf(200, 300), []],
  ['memory doubles in less than an hour', { ...hourOf(100, 200), minutes: 59 }, []],
  ['an animal is lost', { inconsistencies: ['a is lost'] }, ['a is lost']],
  ['a response is wrong', { wrong: ['500'] }, ['500']],
  [
    'a recovery takes more than 2 s',
    { recoveries: [{ fault: 'killed', at: 30, repaired: 31, refused: 5, recovery: 2001 }] },
    ['killed, at 30 s: a request failed 2,001 ms after the repair, more than 2,000'],
  ],
  [
    'memory grows by more than half in an hour',
    hourOf(200, 302),
    ['the memory of the last tenth is 1.51 times that of the second'],
  ],
])('when %s, a run has exactly the expected failures', (_what, results, failures) => {
  expect(failuresOf({ ...RESULTS, ...results })).toEqual(failures);
});
