import { describe, expect, test } from 'vitest';
import { FAULTS } from '../../soak/faults.ts';
import type { Outcome } from '../../soak/outcome.ts';
import { watchRecovery } from '../../soak/recovery.ts';
import { createLedger } from '../support/ledger.ts';

/** Returns the ledger's faults for one addition with this many requests and acknowledged ids, compared with the stored ids. */
function faults(
  { repeatable = true, requests = 1, answered = [] as readonly string[] },
  stored: readonly string[],
): string[] {
  const ledger = createLedger();
  for (let request = 0; request < requests; request += 1) ledger.asked('a', { repeatable });
  for (const id of answered) ledger.acknowledged('a', id);
  return ledger.faults(stored.map((id) => ({ id, name: 'a' })));
}

describe('the ledger', () => {
  test.each([
    ['acknowledged, and stored', { answered: ['1'] }, ['1']],
    ['acknowledged twice, and stored once', { requests: 2, answered: ['1', '1'] }, ['1']],
    ['not acknowledged, not repeatable, and stored', { repeatable: false }, ['1']],
    ['not acknowledged, not repeatable, and not stored', { repeatable: false }, []],
  ])('accepts an addition that was %s', (_what, addition, stored) => {
    expect(faults(addition, stored)).toEqual([]);
  });

  test.each([
    ['acknowledged, and not stored', { answered: ['1'] }, []],
    ['acknowledged, and stored under another id', { answered: ['1'] }, ['2']],
    ['acknowledged, and stored twice', { answered: ['1'] }, ['1', '2']],
    ['acknowledged with two ids', { requests: 2, answered: ['1', '2'] }, ['1']],
    ['repeatable, and never acknowledged', {}, ['1']],
    ['not repeatable, and stored twice', { repeatable: false }, ['1', '2']],
    ['not repeatable, and sent again', { repeatable: false, requests: 2 }, ['1']],
  ])('reports an addition that was %s', (_what, addition, stored) => {
    expect(faults(addition, stored)).toHaveLength(1);
  });

  test('reports stored animals that no client sent, and counts additions, requests and acknowledgements', () => {
    const ledger = createLedger();
    ledger.asked('a', { repeatable: true });
    ledger.asked('a', { repeatable: true });
    ledger.asked('b', { repeatable: false });
    ledger.acknowledged('a', '1');
    const stored = ['a', 'c'].map((name, index) => ({ id: String(index + 1), name }));
    expect(ledger.faults(stored)).toEqual(['nobody asked for c']);
    expect(ledger.counts()).toEqual({ additions: 2, requests: 3, acknowledged: 1 });
  });
});

type Event =
  | { readonly at: number; readonly injected: string; readonly takesGateway?: true }
  | { readonly at: number; readonly repaired: true }
  | { readonly at: number; readonly sent: number; readonly outcome: Outcome };

/** Returns what is recorded when faults are injected and repaired, and requests answered, at these seconds. */
function watchOf(events: readonly Event[]) {
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

describe('a recovery', () => {
  test('lasts from the repair until the last failed request was sent', () => {
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

  test('does not include requests that are in flight when the next fault is injected', () => {
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

  test('excuses missing responses only after a fault that ends the gateway', () => {
    const excusing = FAULTS.filter(({ takesGateway }) => takesGateway).map(({ name }) => name);
    expect(excusing).toEqual(['gateway killed', 'gateway restarted']);
  });

  test.each<[string, number, Outcome, Outcome]>([
    ['before any fault', 5, 'good', 'good'],
    ['before any fault', 5, 'unavailable', 'wrong'],
    ['before any fault', 5, 'unanswered', 'wrong'],
    ['while the gateway is away', 10.5, 'unanswered', 'unanswered'],
    ['while the gateway is away', 10.5, 'wrong', 'wrong'],
    ['in flight at the fault', 10.1, 'unanswered', 'unanswered'],
    ['just before the repair', 11.1, 'unanswered', 'unanswered'],
    ['after the repair', 11.5, 'unanswered', 'wrong'],
    ['after the repair', 11.5, 'unavailable', 'unavailable'],
    ['while only the database is away', 20.5, 'unavailable', 'unavailable'],
    ['while only the database is away', 20.5, 'unanswered', 'wrong'],
  ])('judges a request %s, at %d s: %s counts as %s', (_when, at, outcome, judged) => {
    const events: readonly Event[] = [
      { at: 10, injected: 'killed', takesGateway: true },
      { at: 11, repaired: true },
      { at: 20, injected: 'frozen' },
      { at: 25, repaired: true },
      { at, sent: at - 0.2, outcome },
    ];
    expect(watchOf(events.toSorted((a, b) => a.at - b.at)).outcomes).toEqual([judged]);
  });
});
