import { assert, asyncProperty } from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { environmentOf, type Mutation } from '../support/changed-sources.ts';
import { startPatientService } from '../support/service.ts';
import { startStoreGateways, schedules } from '../support/store-schedule.ts';
import { WRONG_GATEWAYS } from '../support/wrong-gateways.ts';
import { firstFaults } from './support/detection.ts';

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

test('a read by any process sees each write that any process acknowledged before', async () => {
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
  'the property detects a gateway that $what',
  async ({ faults: expected, ...mutation }) => {
    const gateways = await startProcesses(mutation);
    const found = await firstFaults((schedule) => gateways.run(schedule));
    expect(found).not.toEqual([]);
    // And no other fault.
    expect(found.filter((fault) => !expected.test(fault))).toEqual([]);
  },
);
