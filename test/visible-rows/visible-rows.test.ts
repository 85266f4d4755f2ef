import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assert, asyncProperty } from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { cases, type Case } from './cases.ts';
import { faultsOf } from './play.ts';
import { LEAKS } from './schema.ts';
import { openServed } from './serve.ts';

const served = [await openServed(), await openServed()] as const;

/*
 * Two worlds differ only in rows that ann cannot see. Whatever ann requests from both APIs, the responses must be
 * identical, including headers, and so must the rows that ann sees afterwards and the ids of new rows.
 */
test('no response reveals a hidden row', async ({ task }) => {
  const property = asyncProperty(cases, async (each) => {
    // To keep a failing case, write its counterexample to a file in test/visible-rows/cases.
    expect(await faultsOf(each, served)).toEqual([]);
  });
  await assert(property, {
    ...propertyRuns(8),
    // Shrinking a failed case could take longer than the test's timeout.
    interruptAfterTimeLimit: 0.8 * task.timeout,
    markInterruptAsFailure: true,
  });
});

const CASES = join(import.meta.dirname, 'cases');
const kept = await Promise.all(
  (await readdir(CASES)).toSorted().map(async (name) => {
    const each: unknown = JSON.parse(await readFile(join(CASES, name), 'utf8'));
    if (!isCase(each)) {
      throw new TypeError(`${name} is no case`);
    }
    const leak = LEAKS.find((known) => name === `leak-${known.replaceAll(' ', '-')}.json`);
    return { name, each, leak };
  }),
);

/** Checks only the outline; the rest is checked when the case is played. */
function isCase(value: unknown): value is Case {
  return value instanceof Object && ['design', 'worlds', 'steps'].every((name) => name in value);
}

test.each(kept)('no response reveals a hidden row in $name', async ({ each }) => {
  expect(await faultsOf(each, served)).toEqual([]);
});

// The property found these cases while a resolver bypassed the row rules.
test.each(kept.filter(({ leak }) => leak !== undefined))(
  'a response reveals a hidden row in $name if a resolver bypasses the rules: $leak',
  async ({ each, leak }) => {
    expect(await faultsOf(each, served, leak)).not.toEqual([]);
  },
);
