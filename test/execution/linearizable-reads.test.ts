import { assert, asyncProperty } from 'fast-check';
import { expect, test } from 'vitest';
import { startStoreGateways } from '../support/store-gateways.ts';
import { schedules } from '../support/store-schedule.ts';

/** As many as there is time for, with what is needed to tell of a failure. */
const RUNS = { seed: 20_261_121, numRuns: 40, interruptAfterTimeLimit: 12_000 };

test('what a client was told of by any process, no later read on any process misses', async () => {
  await using gateways = await startStoreGateways();
  let checked = 0;
  await assert(
    asyncProperty(schedules, async (schedule) => {
      const { faults, checks } = await gateways.run(schedule);
      expect(faults).toEqual([]);
      checked += checks();
    }),
    RUNS,
  );
  expect(checked).toBeGreaterThan(500);
});
