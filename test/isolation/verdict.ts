import type { Trial, TimedAnswer } from './trial.ts';

/** What is promised of any attack: SECURITY.md. */
const LEAST_ANSWERED = 0.995;
const P99_MS = 250;
const P99 = 'p99';
const HEAP_MB = 300;
const END_SECONDS = 10;

/** What an attack has to do, or its trial proves nothing: bytes for each connection. The smallest request has 26. */
const LEAST_BYTES = 26;
/** No service needs less: what is smaller was not measured. */
const LEAST_HEAP_MB = 10;

export interface Figures {
  /** The share of requests that got what they asked for. */
  readonly answered: number;
  /** Milliseconds, also of those that got something else or nothing. */
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
}

export function figuresOf(answers: readonly TimedAnswer[]): Figures {
  const times = answers.map(({ milliseconds }) => milliseconds);
  const good = answers.filter(({ what }) => what === 'good').length;
  return {
    answered: answers.length === 0 ? 0 : good / answers.length,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    slowest: percentile(times, 1),
  };
}

function percentile(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? Infinity;
}

/**
 * Where a trial fell short of the promise, in words. That is for a quiet machine: where others have had the processors, it
 * isn't the service that was slow.
 */
export function failuresOf(trial: Trial): string[] {
  const failures: string[] = [];
  for (const client of ['known', 'late'] as const) {
    const { answered } = figuresOf(trial[client]);
    const p99 = percentile(
      trial[client].map(({ ownMilliseconds }) => ownMilliseconds),
      0.99,
    );
    if (answered < LEAST_ANSWERED) {
      failures.push(`${client} client: ${percent(answered)} answered (${outcomes(trial[client])})`);
    }
    if (p99 > P99_MS) {
      failures.push(`${client} client: ${P99} ${p99.toFixed(0)} ms`);
    }
  }
  const { attack, traffic } = trial;
  const leastBytes = attack.isIdle === true ? 0 : attack.connections * LEAST_BYTES;
  if (traffic.connections < attack.connections || traffic.bytes < leastBytes) {
    failures.push(`no attack: ${traffic.connections} connections, ${traffic.bytes} bytes`);
  }
  if (!(trial.heapPeak < HEAP_MB * 1e6 && trial.heapPeak > LEAST_HEAP_MB * 1e6)) {
    failures.push(`a heap of ${(trial.heapPeak / 1e6).toFixed(0)} MB`);
  }
  if (trial.exit !== '0' || trial.seconds > END_SECONDS) {
    failures.push(`ended with ${trial.exit} ${trial.seconds.toFixed(1)} s after SIGTERM`);
  }
  return failures;
}

/** Whether it is one that a busy machine may be to blame for. */
export function isOfTime(failure: string): boolean {
  return failure.includes(P99);
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** How many answers there were of each kind. */
function outcomes(answers: readonly TimedAnswer[]): string {
  const counts = Map.groupBy(answers, ({ what }) => what);
  return [...counts].map(([what, of]) => `${what} × ${of.length}`).join(', ');
}
