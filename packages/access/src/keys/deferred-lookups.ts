import { outsideRequest } from '@store-gateway/ops';

/** A little less than the shortest Retry-After, so that a client that heeds it is known by then. */
const INTERVAL_MS = 900;

/**
 * Looks up keys or tokens that were rejected for their address, those of an interval together. A valid one is let in when
 * it comes again.
 *
 * @param lookUp remembers the valid ones
 * @param maximum of an interval; the others may come again
 */
export function createDeferredLookups(
  lookUp: (keys: readonly string[]) => Promise<void>,
  maximum: number,
): (key: string) => void {
  const deferred = new Set<string>();

  async function lookUpAll(): Promise<void> {
    const keys = [...deferred];
    deferred.clear();
    await lookUp(keys);
  }

  return (key) => {
    if (deferred.size === maximum) {
      return;
    }
    if (deferred.size === 0) {
      outsideRequest(() => {
        // If the database is away, the keys may come again.
        setTimeout(() => void lookUpAll().catch(() => undefined), INTERVAL_MS).unref();
      });
    }
    deferred.add(key);
  };
}
