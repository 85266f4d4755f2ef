import { performance as threadPerformance } from 'node:perf_hooks';
import { outsideRequest } from '../log/request-context.ts';

/** A request in a batch, to be settled individually. */
export interface BatchedRequest<Input, Output> {
  readonly input: Input;
  /** Resolves only this request. */
  readonly resolve: (output: Output) => void;
  /** Rejects only this request. */
  readonly reject: (error: unknown) => void;
}

/** Settles each request. If it rejects, the requests that it hasn't settled are rejected with the same error. */
type RunBatch<Input, Output> = (
  requests: readonly BatchedRequest<Input, Output>[],
) => Promise<void>;

/** Creates a function whose calls run in batches. */
export type CreateBatcher = <Input, Output>(
  run: RunBatch<Input, Output>,
) => (input: Input) => Promise<Output>;

/**
 * Maximum number of requests in a batch. Settling a batch takes one turn of the event loop, in which libuv accepts only one
 * connection.
 */
const MAX_BATCH_SIZE = 32;

/**
 * Milliseconds after which another batch may be sent while one is in flight, if this process was idle half of the time, which
 * means that it is waiting for the network. In a busy process, smaller batches only cost more: pages took 10 % more CPU time.
 */
const MAX_WINDOW_MS = 2;

/** Milliseconds after which a batch in flight no longer delays the batches that follow it. */
const MAX_WAIT_MS = 20;

/**
 * If this number times `maxInFlight` batches in a row aren't answered within MAX_WAIT_MS, all waiting requests are sent at once.
 * If the batches were sent one after another, the wait would grow with their number, and the database may not respond at all.
 */
const MAX_UNANSWERED = 10;

/**
 * Creates batchers. A batch collects the calls that are made while the previous batch is in flight or, if none is, in one turn of
 * the event loop. A call always runs in a batch that is sent after the call, so it sees everything that was committed before the
 * call.
 *
 * @param onSend called with the size of each batch
 * @param maxInFlight the number of batches that a batcher may have in flight while one takes long; at most the number of
 *   connections
 */
export function batcherFactory(
  onSend: (size: number) => void = () => {},
  maxInFlight = 1,
): CreateBatcher {
  const startTimeout = createTimeouts();
  return (run) => createBatcher(run, onSend, { maxInFlight, startTimeout });
}

/** Returns the milliseconds that this thread has waited for events. */
function idleTime(): number {
  return threadPerformance.nodeTiming.idleTime;
}

function createBatcher<Input, Output>(
  run: RunBatch<Input, Output>,
  onSend: (size: number) => void,
  {
    maxInFlight,
    startTimeout,
  }: { readonly maxInFlight: number; readonly startTimeout: StartTimeout },
): (input: Input) => Promise<Output> {
  let waiting: BatchedRequest<Input, Output>[] = [];
  let inFlight = 0;
  /** The number of batches in flight whose window is open. */
  let windows = 0;
  let unanswered = 0;
  let isScheduled = false;

  const canSend = (): boolean => windows === 0 && inFlight < maxInFlight;

  function send(): void {
    isScheduled = false;
    if (waiting.length > 0 && canSend()) {
      sendBatch();
    }
  }

  function sendBatch(): void {
    const requests = waiting.slice(0, MAX_BATCH_SIZE);
    waiting = waiting.slice(MAX_BATCH_SIZE);
    onSend(requests.length);
    inFlight += 1;
    windows += 1;
    let isHeld = true;
    let isWindow = true;
    const idleBefore = idleTime();
    const closeWindow = (): void => {
      if (isWindow) {
        isWindow = false;
        windows -= 1;
      }
    };
    const release = (): void => {
      stopTimeout();
      if (isHeld) {
        isHeld = false;
        closeWindow();
        inFlight -= 1;
        // Sent immediately, so that the database is busy while this process settles the requests.
        send();
      }
    };
    const giveUp = (): void => {
      unanswered += 1;
      release();
      while (unanswered >= MAX_UNANSWERED * maxInFlight && waiting.length > 0) {
        sendBatch();
      }
    };
    let stopTimeout = startTimeout(MAX_WINDOW_MS, () => {
      stopTimeout = startTimeout(MAX_WAIT_MS - MAX_WINDOW_MS, giveUp);
      if (idleTime() - idleBefore > MAX_WINDOW_MS / 2) {
        closeWindow();
        send();
      }
    });
    const succeed = (): void => {
      unanswered = 0;
      release();
    };
    run(requests).then(succeed, (error: unknown) => {
      release();
      for (const { reject } of requests) {
        reject(error);
      }
    });
  }

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      if (!isScheduled && canSend()) {
        isScheduled = true;
        setImmediate(send);
      }
    });
}

/** Calls `expire` after a number of milliseconds, unless the returned function is called first. */
type StartTimeout = (milliseconds: number, expire: () => void) => () => void;

interface Timeout {
  /** The time at which it expires, as performance.now(). */
  readonly at: number;
  readonly expire: () => void;
}

/**
 * Creates timeouts that share a timer, for waits that rarely expire. A Node timer costs more than the rest of a short wait if no
 * other timer has the same duration, because Node creates and drops a list for it. The shared timer isn't stopped when no timeout
 * is left, and doesn't keep the process alive.
 */
export function createTimeouts(): StartTimeout {
  const pending = new Set<Timeout>();
  let timer: NodeJS.Timeout | undefined;
  let rings = Infinity;

  function setTimer(at: number): void {
    clearTimeout(timer);
    rings = at;
    // Outside any request's context, because requests share the timer.
    timer = outsideRequest(setTimeout, onTimer, Math.max(0, Math.ceil(at - performance.now())));
    timer.unref();
  }

  function onTimer(): void {
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
      setTimer(next);
    }
  }

  return (milliseconds, expire) => {
    const timeout = { at: performance.now() + milliseconds, expire };
    pending.add(timeout);
    if (timeout.at < rings) {
      setTimer(timeout.at);
    }
    return () => pending.delete(timeout);
  };
}
