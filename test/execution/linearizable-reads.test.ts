import { assert, asyncProperty } from 'fast-check';
import { expect, test, vi } from 'vitest';
import { onFileFinished } from '../support/clean-up.ts';
import { startGateway } from '../support/gateway.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { startStoreGateways, schedules } from '../support/store-schedule.ts';

const gateways = await startStoreGateways((databaseUrl) => startGateway({ databaseUrl }));
// A key that is known stays so, however slow the machine: to ask for it again, a gateway would wait for the database that
// a schedule holds.
const now = performance.now();
const clock = vi.spyOn(performance, 'now').mockReturnValue(now);
onFileFinished(async () => {
  clock.mockRestore();
});

test('a read on any gateway sees every change that any gateway acknowledged before', async () => {
  let checked = 0;
  await assert(
    asyncProperty(schedules, async (schedule) => {
      const { faults, checks } = await gateways.run(schedule);
      expect(faults).toEqual([]);
      checked += checks;
    }),
    propertyRuns(5),
  );
  expect(checked).toBeGreaterThan(100);
});
