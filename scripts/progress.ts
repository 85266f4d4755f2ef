/** Where progress is shown: a terminal, a pipe, or a test's text. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}

/** Reports the progress of a long run. */
export interface Progress {
  /** Prints a line. */
  readonly tell: (what: string) => void;
  /** Sets the expected total. The time left is estimated from now on. */
  readonly expect: (total: number) => void;
  /**
   * Counts one more item as done. A description is printed on its own line. Without one, a terminal shows the count in place, and any
   * other output gets a line after each fifth of the total.
   */
  readonly done: (what?: string) => void;
  /** Removes the count from a terminal. */
  readonly clear: () => void;
}

const STEPS = 5;

/** @param unit what is counted, in the plural */
export function createProgress(unit: string, output: ProgressOutput = process.stderr): Progress {
  const isInPlace = output.isTTY === true;
  let total = 0;
  let done = 0;
  let began = 0;
  // Another process may have left its count on the terminal's last line.
  const clear = () => {
    if (isInPlace) output.write('\r\u001B[K');
  };
  const tell = (what: string) => {
    clear();
    output.write(`${what}\n`);
  };
  return {
    tell,
    clear,
    expect: (expected) => {
      total = expected;
      done = 0;
      began = performance.now();
    },
    done: (what) => {
      done += 1;
      // Repeated measurements are not in the expected total.
      const left = ((performance.now() - began) / done) * Math.max(0, total - done);
      const count = `${done} of ${Math.max(done, total)} ${unit}`;
      const line = [count, what, `${duration(left)} left`].filter(Boolean).join('; ');
      const isStep = Math.floor((done * STEPS) / total) > Math.floor(((done - 1) * STEPS) / total);
      if (what !== undefined) tell(line);
      else if (isInPlace) output.write(`\r\u001B[K${line}`);
      else if (isStep) tell(line);
    },
  };
}

export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
