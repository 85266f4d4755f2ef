import { asyncProperty, check } from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '../visible-rows/cases.ts';
import { faultsOf } from '../visible-rows/play.ts';
import { LEAKS } from '../visible-rows/schema.ts';
import { openServed } from '../visible-rows/serve.ts';

const served = [await openServed(), await openServed()] as const;

/** A hundred cases take minutes on a slow machine. */
const TIMEOUT = 600_000;

test.each(LEAKS)(
  'the visible-rows property detects a resolver that bypasses row rules: %s',
  async (leak) => {
    const found: string[] = [];
    const property = asyncProperty(cases, async (each) => {
      found.push(...(await faultsOf(each, served, leak)));
      return found.length === 0;
    });
    await check(property, { seed: 20_261_126, numRuns: 100, endOnFailure: true });
    expect(found).not.toEqual([]);
  },
  TIMEOUT,
);
