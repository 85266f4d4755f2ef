import { log, outsideRequest } from '@gateway/log/log';
import { asMiss } from './replica-miss.ts';

/** Whether a replica is used. */
export interface Availability {
  readonly isUsed: () => boolean;
  /** Leaves it out until a probe succeeds. */
  readonly leaveOut: (reason: string) => void;
  /** Ends the probes. */
  readonly end: () => void;
}

/** From one probe to the next; doubled up to the maximum, so that a short lag is short, and a lost server costs little. */
const FIRST_INTERVAL_MS = 20;
const MAX_INTERVAL_MS = 1000;
/** A replica that is left out for a shorter time isn't logged. */
const NOTICE_MS = 1000;

/**
 * A replica is left out at first, so that a start doesn't wait for it.
 *
 * @param name for the log
 * @param probe rejects if it can't be used
 */
export function createAvailability(name: string, probe: () => Promise<void>): Availability {
  let isUsed = true;
  let isLogged = false;
  let isEnded = false;
  let reason = '';
  let timer: NodeJS.Timeout | undefined;
  let notice: NodeJS.Timeout | undefined;

  const probeAfter = (interval: number): void => {
    timer = setTimeout(() => {
      probe().then(bringBack, (error: unknown) => {
        reason = asMiss(error).message;
        if (!isEnded) {
          probeAfter(Math.min(interval * 2, MAX_INTERVAL_MS));
        }
      });
    }, interval).unref();
  };
  const bringBack = (): void => {
    clearTimeout(notice);
    isUsed = true;
    if (isLogged) {
      isLogged = false;
      log.info({ replica: name }, 'replica used again');
    }
  };
  const leaveOut = (because: string): void => {
    reason = because;
    if (isUsed && !isEnded) {
      isUsed = false;
      outsideRequest(() => {
        probeAfter(FIRST_INTERVAL_MS);
        notice = setTimeout(() => {
          isLogged = true;
          log.warn({ replica: name, reason }, 'replica left out: others answer its reads');
        }, NOTICE_MS).unref();
      });
    }
  };
  leaveOut('it is not connected yet');
  return {
    isUsed: () => isUsed,
    leaveOut,
    end: () => {
      isEnded = true;
      clearTimeout(timer);
      clearTimeout(notice);
    },
  };
}
