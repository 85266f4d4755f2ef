import { outsideRequest } from '../log/request-context.ts';

/** Calls `expire` after a number of milliseconds, unless the returned function is called first. */
export type StartTimeout = (milliseconds: number, expire: () => void) => () => void;

interface Timeout {
  /** By performance.now(). */
  readonly at: number;
  readonly expire: () => void;
}

/**
 * Creates timeouts that share a timer, for waits that rarely expire. Node's own timer costs more than the rest of a short wait
 * if it is the only one of its length, because its list is created and dropped with it. The shared timer isn't stopped with the
 * last timeout, and doesn't keep the process alive.
 */
export function createTimeouts(): StartTimeout {
  const pending = new Set<Timeout>();
  let timer: NodeJS.Timeout | undefined;
  let rings = Infinity;

  function ringAt(at: number): void {
    clearTimeout(timer);
    rings = at;
    // Outside any request's context, because all waits share the timer.
    timer = outsideRequest(setTimeout, ring, Math.max(0, Math.ceil(at - performance.now())));
    timer.unref();
  }

  function ring(): void {
    // The timeout that the timer was set for has expired, even if the timer fires a little early.
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
