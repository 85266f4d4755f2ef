import { setTimeout } from 'node:timers/promises';

/**
 * Resolves once every cache reads the clock again, after a test has moved it: lru-cache reads it once a millisecond, by a
 * timer that ends before this one, since it began earlier.
 */
export async function cachesReadClock(): Promise<void> {
  await setTimeout(1);
}
