import { describe, expect, test } from 'vitest';
import { createRecorder } from '../soak/figures.ts';
import { createLedger, type StoredAnimal } from '../soak/ledger.ts';
import { plot } from '../soak/plot.ts';
import { watchRecovery } from '../soak/recovery.ts';
import { report } from '../soak/report.ts';
import type { Outcome } from '../soak/request.ts';
import type { Results } from '../soak/soak.ts';

/** One addition, sent so often, and answered with these ids. */
function faults(
  { repeatable = true, requests = 1, answered = [] as readonly string[] },
  stored: readonly string[],
): string[] {
  const ledger = createLedger();
  for (let request = 0; request < requests; request += 1) {
    ledger.asked('a', { repeatable });
  }
  answered.forEach((id) => {
    ledger.acknowledged('a', id);
  });
  return ledger.faults(stored.map((id): StoredAnimal => ({ id, name: 'a' })));
}

describe('the bookkeeping', () => {
  test.each([
    ['acknowledged, and there', { answered: ['1'] }, ['1']],
    ['acknowledged twice, and there once', { requests: 2, answered: ['1', '1'] }, ['1']],
    ['not acknowledged, not to be repeated, and there', { repeatable: false }, ['1']],
    ['not acknowledged, not to be repeated, and not there', { repeatable: false }, []],
  ])('%s is right', (_what, addition, stored) => {
    expect(faults(addition, stored)).toEqual([]);
  });

  test.each([
    ['acknowledged, and not there', { answered: ['1'] }, []],
    ['acknowledged, and there as another', { answered: ['1'] }, ['2']],
    ['acknowledged, and there twice', { answered: ['1'] }, ['1', '2']],
    ['acknowledged with two ids', { requests: 2, answered: ['1', '2'] }, ['1']],
    ['to be repeated, and never acknowledged', {}, ['1']],
    ['not to be repeated, and there twice', { repeatable: false }, ['1', '2']],
    ['not to be repeated, and sent again', { repeatable: false, requests: 2 }, ['1']],
  ])('%s is told', (_what, addition, stored) => {
    expect(faults(addition, stored)).toHaveLength(1);
  });

  test('what nobody asked for is told, and what was asked for is counted', () => {
    const ledger = createLedger();
    ledger.asked('a', { repeatable: true });
    ledger.asked('a', { repeatable: true });
    ledger.asked('b', { repeatable: false });
    ledger.acknowledged('a', '1');
    expect(
      ledger.faults([
        { id: '1', name: 'a' },
        { id: '2', name: 'c' },
      ]),
    ).toEqual(['nobody asked for c']);
    expect(ledger.counts()).toEqual({ additions: 2, requests: 3, acknowledged: 1 });
  });
});

/** A recorder and a watch, at a time that the test tells. */
function startAt() {
  let time = 0;
  const recorder = createRecorder(() => time);
  const watch = watchRecovery(() => time);
  return {
    recorder,
    watch,
    at: (seconds: number) => {
      time = seconds;
    },
    answer: (outcome: Outcome, milliseconds: number) => {
      recorder.answered({ outcome, milliseconds, text: '' });
      watch.answered(time - milliseconds / 1000, outcome);
    },
  };
}

test('figures are of five seconds each, and what was not answered has no latency', () => {
  const { recorder, at, answer } = startAt();
  for (let milliseconds = 1; milliseconds <= 100; milliseconds += 1) {
    answer('good', milliseconds);
  }
  answer('unanswered', 5000);
  recorder.probed({ rss: 2 ** 20, eventLoopDelay: 3 });
  recorder.probed({ rss: 3 * 2 ** 20, eventLoopDelay: 2 });
  at(12);
  answer('unavailable', 7);
  expect(recorder.figures()).toEqual([
    {
      at: 0,
      requests: { good: 100, unavailable: 0, unanswered: 1, wrong: 0 },
      p50: 50,
      p99: 99,
      slowest: 100,
      rss: 3,
      eventLoopDelay: 3,
    },
    {
      at: 10,
      requests: { good: 0, unavailable: 1, unanswered: 0, wrong: 0 },
      p50: 7,
      p99: 7,
      slowest: 7,
      rss: undefined,
      eventLoopDelay: undefined,
    },
  ]);
});

test('recovery lasts from when a fault is mended to when the last request was sent that was not done', () => {
  const { watch, at, answer } = startAt();
  at(10);
  watch.struck('killed');
  at(11);
  answer('unavailable', 500);
  watch.mended();
  at(12);
  answer('unavailable', 250);
  at(13);
  answer('good', 1);
  watch.struck('cut');
  watch.mended();
  expect(watch.recoveries()).toEqual([
    { fault: 'killed', at: 10, mended: 11, refused: 2, recovery: 750 },
    { fault: 'cut', at: 13, mended: 13, refused: 0, recovery: 0 },
  ]);
});

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
  figures: [0, 5].map((at) => ({
    at,
    requests: { good: 45, unavailable: 5, unanswered: 0, wrong: 0 },
    p50: 1,
    p99: 10,
    slowest: 1000,
    rss: at === 0 ? undefined : 100,
    eventLoopDelay: 2,
  })),
  recoveries: [{ fault: 'killed', at: 3, mended: 4, refused: 5, recovery: 20 }],
  creates: { additions: 2, requests: 3, acknowledged: 2 },
  faults: [],
  wrong: [],
};

test('a report tells the shares of requests, the faults, and that all is right', () => {
  const text = report(RESULTS);
  expect(text).toContain('Each of them is in the database exactly once');
  expect(text).toMatch(/\| done +\| +90 \| 90\.000 % \|/);
  expect(text).toMatch(/\| killed \| +1 \| +1000\.0 \| +1000\.0 \| +20\.0 \| +20\.0 \| +5 \|/);
});

test('a report tells what is not right', () => {
  const text = report({ ...RESULTS, faults: ['nobody asked for a'], wrong: ['500'] });
  expect(text).toContain('1 are not right:\n\n- nobody asked for a\n');
  expect(text).toContain('### Wrong\n\n- 500\n');
  expect(text).not.toContain('exactly once');
});

test('a plot has a line for each fault in each panel, and a gap where there was no process', () => {
  const svg = plot(RESULTS);
  expect(svg.match(/class="fault" d="M43\.8 0/g)).toHaveLength(4);
  const [, memory] = /Memory[^]*?class="line a" d="([^"]*)"/.exec(svg) ?? [];
  expect(memory).toBe('M73 0');
});
