import { assert, asyncProperty } from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { environmentOf, type Mutation } from '../support/changed-sources.ts';
import { startPatientService } from '../support/service.ts';
import { startStoreGateways, schedules } from '../support/store-schedule.ts';
import { WRONG_GATEWAYS } from '../support/wrong-gateways.ts';
import { firstFaults } from './support/detection.ts';

/**
 * Starts gateways in separate processes for one test, with the same fault in each, if any. Even on a slow machine, they wait
 * for what a schedule blocks.
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

test('a read from any process sees every write that any process has already acknowledged', async () => {
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
  'the linearizability property detects a gateway that $what',
  async ({ faults: expected, ...mutation }) => {
    const gateways = await startProcesses(mutation);
    const found = await firstFaults((schedule) => gateways.run(schedule));
    expect(found).not.toEqual([]);
    // No other fault was found.
    expect(found.filter((fault) => !expected.test(fault))).toEqual([]);
  },
);
