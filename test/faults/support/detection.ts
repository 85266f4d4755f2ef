import { asyncProperty, check } from 'fast-check';
import type { Verdict } from '../../support/store-history/history.ts';
import { type Schedule, schedules } from '../../support/store-schedule.ts';

/** The faults of the first schedule that has any, out of a hundred schedules. */
export async function firstFaults(
  run: (schedule: Schedule) => Promise<Verdict>,
): Promise<readonly string[]> {
  const found: string[] = [];
  const property = asyncProperty(schedules, async (schedule) => {
    found.push(...(await run(schedule)).faults);
    return found.length === 0;
  });
  await check(property, { seed: 20_261_121, numRuns: 100, endOnFailure: true });
  return found;
}
