import { describe, expect, test } from 'vitest';
import { createRecorder } from '../../soak/figures.ts';
import type { Outcome } from '../../soak/outcome.ts';
import { watchRecovery } from '../../soak/recovery.ts';
import { createLedger, type StoredAnimal } from '../support/ledger.ts';

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

test('figures are of five seconds each, and what was not answered has no latency', () => {
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

/** A watch of these faults: when each is injected and repaired; the requests are answered in between. */
function watchOf(
  events: readonly (
    | { readonly at: number; readonly injected: string; readonly takesGateway?: true }
    | { readonly at: number; readonly repaired: true }
    | { readonly at: number; readonly sent: number; readonly outcome: Outcome }
  )[],
) {
  let time = 0;
  const watch = watchRecovery(() => time);
  const outcomes: Outcome[] = [];
  for (const event of events) {
    time = event.at;
    if ('injected' in event) watch.injected({ name: event.injected, ...event });
    else if ('repaired' in event) watch.repaired();
    else outcomes.push(watch.answered(event.sent, event.outcome));
  }
  return { outcomes, recoveries: watch.recoveries() };
}

describe('a fault', () => {
  test('is recovered from when the last request was sent that was not done', () => {
    const { recoveries } = watchOf([
      { at: 10, injected: 'frozen' },
      { at: 11, sent: 10.5, outcome: 'unavailable' },
      { at: 11, repaired: true },
      { at: 12, sent: 11.75, outcome: 'unavailable' },
      { at: 12.1, sent: 11.5, outcome: 'wrong' },
      { at: 13, sent: 12.9, outcome: 'good' },
      { at: 13, injected: 'cut' },
      { at: 13, repaired: true },
    ]);
    expect(recoveries).toEqual([
      { fault: 'frozen', at: 10, repaired: 11, refused: 3, recovery: 750 },
      { fault: 'cut', at: 13, repaired: 13, refused: 0, recovery: 0 },
    ]);
  });

  test('breaks what is under way: that is no slow recovery from the one before', () => {
    const { recoveries } = watchOf([
      { at: 10, injected: 'frozen' },
      { at: 15, repaired: true },
      { at: 60, injected: 'killed', takesGateway: true },
      { at: 60.1, sent: 59.9, outcome: 'unanswered' },
    ]);
    expect(recoveries).toMatchObject([
      { fault: 'frozen', refused: 0, recovery: 0 },
      { fault: 'killed', refused: 1, recovery: 0 },
    ]);
  });

  test.each<[string, number, Outcome, Outcome]>([
    ['before it', 5, 'good', 'good'],
    ['before it', 5, 'unavailable', 'wrong'],
    ['before it', 5, 'unanswered', 'wrong'],
    ['while the gateway is away', 10.5, 'unanswered', 'unanswered'],
    ['while the gateway is away', 10.5, 'wrong', 'wrong'],
    ['just before, and under way at it', 10.1, 'unanswered', 'unanswered'],
    ['just before the repair', 11.1, 'unanswered', 'unanswered'],
    ['after the repair', 11.5, 'unanswered', 'wrong'],
    ['after the repair', 11.5, 'unavailable', 'unavailable'],
    ['while only the database is away', 20.5, 'unavailable', 'unavailable'],
    ['while only the database is away', 20.5, 'unanswered', 'wrong'],
  ])(
    'excuses of what is sent %s (answered at %d s) what it has to: %s is %s',
    (_when, at, outcome, judged) => {
      const request = { at, sent: at - 0.2, outcome };
      const events = [
        { at: 10, injected: 'killed', takesGateway: true as const },
        { at: 11, repaired: true as const },
        { at: 20, injected: 'frozen' },
        { at: 25, repaired: true as const },
      ];
      const { outcomes } = watchOf([...events, request].toSorted((a, b) => a.at - b.at));
      expect(outcomes).toEqual([judged]);
    },
  );
});
