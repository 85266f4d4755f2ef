import type { HonestAnswer, Trial } from './trial.ts';

/** What SECURITY.md promises for any attack. */
const LEAST_ANSWERED = 0.995;
const P99_MS = 250;
const P99 = 'p99';
const HEAP_MB = 300;
const END_SECONDS = 10;

/** Minimum bytes per connection for an attack that proves anything: the size of the smallest request. */
const LEAST_BYTES = 26;
/** Every service needs more, so a smaller heap was not measured correctly. */
const LEAST_HEAP_MB = 10;

/** The share of requests that succeeded, and the response times of all requests in milliseconds. */
export function figuresOf(answers: readonly HonestAnswer[]) {
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

/** How a trial broke the promise. The promise is for an idle machine, so time used by other processes does not count. */
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

/** Whether a busy machine may have caused the failure. */
export function isOfTime(failure: string): boolean {
  return failure.includes(P99);
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function outcomes(answers: readonly HonestAnswer[]): string {
  const counts = Map.groupBy(answers, ({ what }) => what);
  return [...counts].map(([what, of]) => `${what} × ${of.length}`).join(', ');
}
