import { assert, asyncProperty, check } from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { Mutation } from '../support/changed-sources.ts';
import { environmentOf } from '../support/mutation.ts';
import { startPatientService } from '../support/service.ts';
import { startStoreGateways } from '../support/store-gateways.ts';
import { schedules } from '../support/store-schedule.ts';
import { WRONG_GATEWAYS } from '../support/wrong-gateways.ts';

/**
 * Gateways in processes of their own until the test is over, with the same fault in each, if any. However slow the machine,
 * they wait for what is held.
 */
function startProcesses(mutation?: Mutation) {
  const stack = new AsyncDisposableStack();
  onTestFinished(() => stack.disposeAsync());
  const { NODE_OPTIONS = '', ...fault } = mutation ? environmentOf(mutation) : {};
  const env = { ...fault, NODE_OPTIONS: `${NODE_OPTIONS} --import ./test/support/lasting-keys.ts` };
  return startStoreGateways(async (DATABASE_URL) =>
    stack.use(await startPatientService({ ...env, DATABASE_URL })),
  );
}

test('what a client was told of by any process, no later read on any process misses', async () => {
  const gateways = await startProcesses();
  let checked = 0;
  const property = asyncProperty(schedules, async (schedule) => {
    const { faults, checks } = await gateways.run(schedule);
    expect(faults).toEqual([]);
    checked += checks;
  });
  await assert(property, { numRuns: 20 });
  expect(checked).toBeGreaterThan(500);
});

test.each(WRONG_GATEWAYS)(
  'the property finds out a gateway that $what',
  async ({ faults: expected, ...mutation }) => {
    const gateways = await startProcesses(mutation);
    const found: string[] = [];
    const property = asyncProperty(schedules, async (schedule) => {
      const { faults } = await gateways.run(schedule);
      found.push(...faults);
      return found.length === 0;
    });
    await check(property, { seed: 20_261_121, numRuns: 100, endOnFailure: true });
    expect(found).not.toEqual([]);
    // And finds nothing else.
    expect(found.filter((fault) => !expected.test(fault))).toEqual([]);
  },
);
