import { assert, asyncProperty } from 'fast-check';
import { test } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { cases } from './cases.ts';
import { expectNoFaults } from './report.ts';
import { openServed } from './serve.ts';

const served = [await openServed(), await openServed()] as const;

/*
 * Two worlds differ in nothing but rows that ann doesn't see. Whatever it asks for, on both surfaces, the answers have to be the
 * same, to the last header; so have to be what becomes of the rows that it sees, and the ids that new ones are given.
 */
test('nothing tells of a hidden row', async () => {
  const property = asyncProperty(cases, (each) => expectNoFaults(each, served));
  // A case is made smaller by leaving out steps.
  await assert(property, { ...propertyRuns(8), endOnFailure: true });
});
