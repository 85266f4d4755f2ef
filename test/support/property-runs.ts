import { inject } from 'vitest';
import { integer, type Arbitrary } from 'fast-check';

/** Set by the project `properties` in vitest.config.ts. */
const IS_LONG = process.env['LONG_PROPERTIES'] !== undefined;

/**
 * Returns how often a property is checked. The limit is a count, never a time, so that coverage does not depend on the
 * machine. `npm test` uses a fixed seed; `npm run test:all` uses a new seed, which fast-check prints on failure, and
 * ten times as many runs; on Citus, where statements take several times as long, there are a tenth as many.
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

/** Any character except lone surrogates. fast-check's own unit "binary" takes a second to create. */
export const anyCharacter: Arbitrary<string> = integer({
  min: 0,
  max: LAST - SURROGATES.count,
}).map((number) =>
  String.fromCodePoint(number < SURROGATES.first ? number : number + SURROGATES.count),
);
