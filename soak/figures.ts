import type { Outcome } from './outcome.ts';
import type { Probe } from './probes.ts';
import type { Answered } from './request.ts';

/** The figures of an interval. */
export interface Figures {
  /** When the interval began, in seconds since the run began. */
  readonly at: number;
  readonly requests: Readonly<Record<Outcome, number>>;
  /** Latencies of the answered requests, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
  /** MiB; undefined while there was no process. */
  readonly rss: number | undefined;
  /** The longest delay, in milliseconds. */
  readonly eventLoopDelay: number | undefined;
}

/** Length of an interval, in seconds. */
export const INTERVAL = 5;

export interface Recorder {
  readonly answered: (answered: Pick<Answered, 'outcome' | 'milliseconds'>) => void;
  readonly probed: (probe: Probe) => void;
  /** The figures of all intervals, the current one included. */
  readonly figures: () => readonly Figures[];
}

interface Interval {
  readonly at: number;
  readonly requests: Record<Outcome, number>;
  readonly latencies: number[];
  readonly rss: number[];
  readonly delays: number[];
}

const MEBIBYTE = 2 ** 20;

/** @param now seconds since the run began */
export function createRecorder(now: () => number): Recorder {
  const over: Figures[] = [];
  let current = newInterval(0);
  const interval = (): Interval => {
    const at = Math.floor(now() / INTERVAL) * INTERVAL;
    if (at > current.at) {
      over.push(figuresOf(current));
      current = newInterval(at);
    }
    return current;
  };
  return {
    answered: ({ outcome, milliseconds }) => {
      const { requests, latencies } = interval();
      requests[outcome] += 1;
      if (outcome !== 'unanswered') latencies.push(milliseconds);
    },
    probed: (probe) => {
      const { rss, delays } = interval();
      rss.push(probe.rss / MEBIBYTE);
      delays.push(probe.eventLoopDelay);
    },
    figures: () => [...over, figuresOf(current)],
  };
}

/** The figures of each tenth of a run; a short run has fewer and longer parts. */
export function tenthsOf({
  figures: all,
  minutes,
}: {
  readonly figures: readonly Figures[];
  readonly minutes: number;
}): readonly (readonly Figures[])[] {
  // Responses that arrived after the end count for no tenth.
  const figures = all.filter(({ at }) => at < minutes * 60);
  const tenth = Math.max(1, Math.ceil(figures.length / 10));
  return Array.from({ length: Math.ceil(figures.length / tenth) }, (_, index) =>
    figures.slice(index * tenth, (index + 1) * tenth),
  );
}

function newInterval(at: number): Interval {
  const requests = { good: 0, unavailable: 0, unanswered: 0, wrong: 0 };
  return { at, requests, latencies: [], rss: [], delays: [] };
}

function figuresOf({ at, requests, latencies, rss, delays }: Interval): Figures {
  const sorted = latencies.toSorted((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  return {
    at,
    requests,
    p50: quantile(0.5),
    p99: quantile(0.99),
    slowest: sorted.at(-1) ?? 0,
    rss: rss.length === 0 ? undefined : Math.max(...rss),
    eventLoopDelay: delays.length === 0 ? undefined : Math.max(...delays),
  };
}
