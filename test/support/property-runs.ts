import { vi } from 'vitest';

/** Whether properties are tried long, as `npm run test:all` does. */
const IS_LONG = process.env['LONG_PROPERTIES'] !== undefined;

if (IS_LONG) {
  vi.setConfig({ testTimeout: 600_000 });
}

/**
 * How often a property is tried. Bounded by a count, never by time, so that what is tested doesn't depend on the machine:
 * by a fixed seed in `npm test`; ten times as often, by a new seed, where LONG_PROPERTIES is set. fast-check tells the
 * seed of a failure.
 */
export function propertyRuns(numRuns: number): {
  readonly seed?: number;
  readonly numRuns: number;
} {
  return IS_LONG ? { numRuns: 10 * numRuns } : { seed: 20_301_205, numRuns };
}
