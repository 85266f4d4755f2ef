import { log, outsideRequest } from '@store-gateway/ops';
import { asMiss } from './replica-miss.ts';

/** From one probe to the next; doubled up to the maximum, so that a short lag is short, and a lost server costs little. */
const FIRST_INTERVAL_MS = 20;
const MAX_INTERVAL_MS = 1000;
/** A replica that is left out for a shorter time isn't logged. */
const NOTICE_MS = 1000;

/**
 * Whether a replica is used. It is left out at first, so that a start doesn't wait for it.
 *
 * @param name for the log
 * @param probe rejects if it can't be used
 */
export function createAvailability(name: string, probe: () => Promise<void>) {
  let isUsed = true;
  /** Why it is left out now; a reason is logged once until it is used again. */
  const logged = new Set<string>();
  let isEnded = false;
  let leftOutAt = 0;
  let timer: NodeJS.Timeout | undefined;

  const probeAfter = (interval: number): void => {
    timer = setTimeout(() => {
      probe().then(bringBack, (error: unknown) => {
        if (isEnded) return;
        const reason = asMiss(error).message;
        if (!logged.has(reason) && performance.now() - leftOutAt > NOTICE_MS) {
          logged.add(reason);
          log.warn({ replica: name, reason }, 'replica left out: others answer its reads');
        }
        probeAfter(Math.min(interval * 2, MAX_INTERVAL_MS));
      });
    }, interval).unref();
  };
  const bringBack = (): void => {
    isUsed = true;
    if (logged.size > 0) {
      logged.clear();
      log.info({ replica: name }, 'replica used again');
    }
  };
  const leaveOut = (): void => {
    if (isUsed && !isEnded) {
      isUsed = false;
      leftOutAt = performance.now();
      outsideRequest(() => {
        probeAfter(FIRST_INTERVAL_MS);
      });
    }
  };
  leaveOut();
  return {
    isUsed: () => isUsed,
    /** Leaves it out until a probe succeeds. */
    leaveOut,
    /** Ends the probes. */
    end: (): void => {
      isEnded = true;
      clearTimeout(timer);
    },
  };
}
