import { outsideRequest } from '../log/request-context.ts';

/** Calls back after so many milliseconds, unless the function that it returns is called before. */
export type StartTimeout = (milliseconds: number, expire: () => void) => () => void;

interface Timeout {
  /** By performance.now(). */
  readonly at: number;
  readonly expire: () => void;
}

/**
 * Timeouts that hardly ever expire, and share a timer: Node's own costs more than the rest of a short wait where it is the only
 * one of its length, because its list is made and dropped with it. The timer isn't stopped with the last timeout, and keeps no
 * process from ending.
 */
export function createTimeouts(): StartTimeout {
  const pending = new Set<Timeout>();
  let timer: NodeJS.Timeout | undefined;
  let rings = Infinity;

  function ringAt(at: number): void {
    clearTimeout(timer);
    rings = at;
    // One timer is for all who wait, in no request's context.
    timer = outsideRequest(setTimeout, ring, Math.max(0, Math.ceil(at - performance.now())));
    timer.unref();
  }

  function ring(): void {
    // What it rings for has expired, even if it rings a little early.
    const now = Math.max(rings, performance.now());
    rings = Infinity;
    let next = Infinity;
    for (const timeout of pending) {
      if (timeout.at <= now) {
        pending.delete(timeout);
        timeout.expire();
      } else {
        next = Math.min(next, timeout.at);
      }
    }
    if (next < rings) {
      ringAt(next);
    }
  }

  return (milliseconds, expire) => {
    const timeout = { at: performance.now() + milliseconds, expire };
    pending.add(timeout);
    if (timeout.at < rings) {
      ringAt(timeout.at);
    }
    return () => pending.delete(timeout);
  };
}
