import { assert, asyncProperty } from 'fast-check';
import { expect, test, vi } from 'vitest';
import { onFileFinished } from '../support/clean-up.ts';
import { startGateway } from '../support/gateway.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { startStoreGateways, schedules } from '../support/store-schedule.ts';

const gateways = await startStoreGateways((databaseUrl) => startGateway({ databaseUrl }));
// The frozen clock keeps API keys cached on a slow machine. To read a key again, a gateway would wait for the database,
// which a schedule blocks.
const now = performance.now();
const clock = vi.spyOn(performance, 'now').mockReturnValue(now);
onFileFinished(async () => {
  clock.mockRestore();
});

test('a read on any gateway sees every change that any gateway has already acknowledged', async () => {
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
