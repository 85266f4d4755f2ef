import { assert, asyncProperty } from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { cases } from './cases.ts';
import { faultsOf } from './play.ts';
import { openServed } from './serve.ts';

const served = [await openServed(), await openServed()] as const;

/*
 * Two worlds differ only in rows that ann can't see. Whatever it asks for in both APIs, the responses have to be the same,
 * to the last header; so do the rows that it sees afterwards, and the ids of new ones.
 */
test('no response reveals a hidden row', async ({ task }) => {
  const property = asyncProperty(cases, async (each) => {
    // To keep a case that fails, write its counterexample to a file in test/visible-rows/cases.
    expect(await faultsOf(each, served)).toEqual([]);
  });
  await assert(property, {
    ...propertyRuns(8),
    // Making a failed case smaller could take longer than the test may.
    interruptAfterTimeLimit: 0.8 * task.timeout,
    markInterruptAsFailure: true,
  });
});
