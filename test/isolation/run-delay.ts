import { readFileSync } from 'node:fs';

/** Milliseconds from one look to the next. */
const INTERVAL = 10;

export interface RunDelay extends Disposable {
  /** Milliseconds, of a period by the system's monotonic clock. */
  readonly within: (from: number, to: number) => number;
}

/**
 * For how long the main thread of a process was ready to run, and others had the processors: the second number of Linux's
 * schedstat. Other systems don't tell, so that it is 0.
 */
export function watchRunDelay(pid: number): RunDelay {
  const looks: { readonly at: number; readonly delay: number }[] = [];
  const look = (): void => {
    try {
      const [, nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
      looks.push({ at: Number(process.hrtime.bigint()) / 1e6, delay: Number(nanoseconds) / 1e6 });
    } catch {
      // It has ended, or there is no such file.
    }
  };
  const timer = setInterval(look, INTERVAL);
  const delayUntil = (time: number) => looks.findLast(({ at }) => at <= time)?.delay ?? 0;
  return {
    within: (from, to) => delayUntil(to) - delayUntil(from),
    [Symbol.dispose]: () => {
      clearInterval(timer);
    },
  };
}
