import { assert, asyncProperty } from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { startStoreGateways } from '../support/store-gateways.ts';
import { schedules } from '../support/store-schedule.ts';

test('what a client was told of by any process, no later read on any process misses', async () => {
  await using gateways = await startStoreGateways();
  let checked = 0;
  await assert(
    asyncProperty(schedules, async (schedule) => {
      const { faults, checks } = await gateways.run(schedule);
      expect(faults).toEqual([]);
      checked += checks();
    }),
    propertyRuns(8),
  );
  expect(checked).toBeGreaterThan(100);
});
