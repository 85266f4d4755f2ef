import { assert, asyncProperty } from 'fast-check';
import { expect, test } from 'vitest';
import { AS_IN_PRODUCTION, startGateway } from '../support/gateway.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { startStoreGateways } from '../support/store-gateways.ts';
import { schedules } from '../support/store-schedule.ts';

// A request that the schedule keeps from the database gives up, so that the schedule goes on.
const gateways = await startStoreGateways((databaseUrl) =>
  startGateway({ ...AS_IN_PRODUCTION, databaseUrl }),
);

test('what a client was told of by any gateway, no later read on any gateway misses', async () => {
  let checked = 0;
  await assert(
    asyncProperty(schedules, async (schedule) => {
      const { faults, checks } = await gateways.run(schedule);
      expect(faults).toEqual([]);
      checked += checks();
    }),
    propertyRuns(5),
  );
  expect(checked).toBeGreaterThan(100);
});
