import { asyncProperty, check } from 'fast-check';
import { expect, test } from 'vitest';
import type { Mutation } from '../support/mutation.ts';
import { startStoreGateways } from '../support/store-gateways.ts';
import { schedules } from '../support/store-schedule.ts';

const file = 'src/flights/next-flight.ts';

/** How reads could share a flight wrongly. */
const MUTATIONS: readonly (Mutation & { readonly what: string })[] = [
  {
    what: 'that is under way',
    file,
    text: 'const flight: Flight<Result> = { landed: landing(result), next: undefined };',
    replacement: `const flight = { landed: landing(result), next: result };
      void flight.landed.then(() => { flight.next = undefined; });`,
  },
  {
    what: 'that was the next one, and has left',
    file,
    text: 'flight.next ??= patiently(flight.landed).then(() => leave(key, start));',
    replacement: 'flight.next ??= flight.landed.then(start).finally(() => flights.delete(key));',
  },
];

test.each(MUTATIONS)('the property finds out reads that join a flight $what', async (mutation) => {
  await using gateways = await startStoreGateways(mutation);
  const found: string[] = [];
  await check(
    asyncProperty(schedules, async (schedule) => {
      const { faults } = await gateways.run(schedule);
      found.push(...faults);
      return found.length === 0;
    }),
    { seed: 20_261_121, numRuns: 20, endOnFailure: true },
  );
  expect(found).not.toEqual([]);
  // And finds nothing else.
  expect(found.filter((fault) => !fault.includes('it misses'))).toEqual([]);
});
