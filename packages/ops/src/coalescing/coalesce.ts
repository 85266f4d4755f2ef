/**
 * Starts the work of a run.
 *
 * @param isAlone whether only one call gets the result
 */
type Start<Result> = (isAlone: boolean) => Promise<Result>;

/** Calls `start`, or joins a run with the same key that other calls are waiting for. */
type Coalescer<Result> = (key: string, start: Start<Result>) => Promise<Result>;

interface Run<Result> {
  /**
   * Resolves when the run has settled. It doesn't hold the run's result: the promise outlives the run, so the garbage collector
   * would copy the result to the old generation.
   */
  readonly settled: Promise<void>;
  /** The run after this one, which hasn't started yet. */
  next: Promise<Result> | undefined;
  /** The number of calls that wait for the next run. */
  waiting: number;
}

/** Milliseconds after which the next run starts even if the previous one hasn't settled. */
const MAX_WAIT_MS = 50;

/**
 * Coalesces identical reads without serving stale data. A call never joins a read in flight, because its snapshot may predate a
 * write acknowledged since. It joins the next read, which starts when the current one has settled. So every result reflects
 * everything that any process had committed before the call. If a shared read fails, it fails for all its callers.
 *
 * @param onCall called for each call, with whether it leads a run or joins one
 */
export function createCoalescer<Result>(onCall?: (leads: boolean) => void): Coalescer<Result> {
  const runs = new Map<string, Run<Result>>();

  function begin(key: string, start: Start<Result>, isAlone: boolean): Promise<Result> {
    const result = start(isAlone);
    const end = (): void => {
      if (run.next === undefined && runs.get(key) === run) {
        runs.delete(key);
      }
    };
    const run: Run<Result> = { settled: result.then(end, end), next: undefined, waiting: 0 };
    runs.set(key, run);
    return result;
  }

  return function coalesce(key, start) {
    const run = runs.get(key);
    onCall?.(run?.next === undefined);
    if (run === undefined) {
      return begin(key, start, true);
    }
    run.waiting += 1;
    run.next ??= orTimeout(run.settled).then(() => begin(key, start, run.waiting === 1));
    return run.next;
  };
}

function orTimeout(settled: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, MAX_WAIT_MS);
    void settled.finally(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * Memoizes the last value only, for consecutive calls with the same value. A WeakMap would keep each value, and everything that
 * belongs to its request, alive until the garbage collector processes the old generation.
 */
export function memoizeLast<Value extends object, Result>(
  compute: (value: Value) => Result,
): (value: Value) => Result {
  let last: { readonly value: Value; readonly result: Result } | undefined;
  return (value) => {
    if (last?.value !== value) {
      last = { value, result: compute(value) };
    }
    return last.result;
  };
}
