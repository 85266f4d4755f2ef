import { assert, asyncProperty, check } from 'fast-check';
import { expect, test } from 'vitest';
import type { Mutation } from '../support/changed-sources.ts';
import { environmentOf } from '../support/mutation.ts';
import { startService } from '../support/service.ts';
import { startStoreGateways } from '../support/store-gateways.ts';
import { schedules } from '../support/store-schedule.ts';

/** Gateways in processes of their own, with the same fault in each, if any. */
const startProcesses = (mutation?: Mutation) =>
  startStoreGateways((DATABASE_URL) =>
    startService({ DATABASE_URL, ...(mutation && environmentOf(mutation)) }),
  );

test('what a client was told of by any process, no later read on any process misses', async () => {
  const gateways = await startProcesses();
  let checked = 0;
  const property = asyncProperty(schedules, async (schedule) => {
    const { faults, checks } = await gateways.run(schedule);
    expect(faults).toEqual([]);
    checked += checks();
  });
  await assert(property, { numRuns: 40 });
  expect(checked).toBeGreaterThan(500);
});

const file = 'packages/coalescing/src/coalesce.ts';

/** How reads could share one wrongly. */
const MUTATIONS: readonly (Mutation & { readonly what: string })[] = [
  {
    what: 'is in flight',
    file,
    text: 'const run: Run<Result> = { settled: result.then(end, end), next: undefined, waiting: 0 };',
    replacement: `const forget = () => { run.next = undefined; end(); };
      const run = { settled: result.then(forget, forget), next: result, waiting: 1 };`,
  },
  {
    what: 'was the next one, and has begun',
    file,
    text: 'run.next ??= orTimeout(run.settled).then(() => begin(key, start, run.waiting === 1));',
    replacement:
      'run.next ??= run.settled.then(() => start(false)).finally(() => runs.delete(key));',
  },
];

test.each(MUTATIONS)(
  'the property finds out requests that join a read that $what',
  async (mutation) => {
    const gateways = await startProcesses(mutation);
    const found: string[] = [];
    const property = asyncProperty(schedules, async (schedule) => {
      const { faults } = await gateways.run(schedule);
      found.push(...faults);
      return found.length === 0;
    });
    await check(property, { seed: 20_261_121, numRuns: 20, endOnFailure: true });
    expect(found).not.toEqual([]);
    // And finds nothing else.
    expect(found.filter((fault) => !fault.includes('it misses'))).toEqual([]);
  },
);
