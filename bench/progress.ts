import { cellName, type Sample } from './figures/sample.ts';

/** Tells on stderr how far it is. */
export interface Progress {
  readonly tell: (what: string) => void;
  /** How many cells are to come; the time that is left is reckoned from now on. */
  readonly expect: (cells: number) => void;
  readonly done: (sample: Sample) => void;
}

export function createProgress(): Progress {
  let total = 0;
  let done = 0;
  let began = 0;
  return {
    tell,
    expect: (cells) => {
      total = cells;
      began = performance.now();
    },
    done: ({ cell, round, requestsPerSecond, p50, p99, errors }) => {
      done += 1;
      // More than expected are repeats.
      const left = ((performance.now() - began) / done) * Math.max(0, total - done);
      tell(
        [
          `${done}/${Math.max(done, total)} round ${round + 1} ${cellName(cell)}`,
          `${Math.round(requestsPerSecond)}/s, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${errors} errors`,
          `${duration(left)} left`,
        ].join('; '),
      );
    },
  };
}

function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

function tell(what: string): void {
  process.stderr.write(`${what}\n`);
}
