import { inject } from 'vitest';
import { integer, type Arbitrary } from 'fast-check';

/** Set by the project `properties` of vitest.config.ts. */
const IS_LONG = process.env['LONG_PROPERTIES'] !== undefined;

/**
 * How often a property is tried. Bounded by a count, never by time, so that what is tested doesn't depend on the machine:
 * by a fixed seed in `npm test`; ten times as often and by a new seed, which fast-check tells when it fails, in
 * `npm run test:all`; on Citus, where a statement takes several times as long, a tenth as often.
 */
export function propertyRuns(numRuns: number): {
  readonly seed?: number;
  readonly numRuns: number;
} {
  if (IS_LONG) return { numRuns: 10 * numRuns };
  return { seed: 20_301_205, numRuns: inject('isSharded') ? Math.ceil(numRuns / 10) : numRuns };
}

const SURROGATES = { first: 0xd800, count: 0x800 };
const LAST = 0x10_ffff;

/** Any character, but no half of a pair: fast-check's own unit "binary", which costs a second to create. */
export const anyCharacter: Arbitrary<string> = integer({
  min: 0,
  max: LAST - SURROGATES.count,
}).map((number) =>
  String.fromCodePoint(number < SURROGATES.first ? number : number + SURROGATES.count),
);
