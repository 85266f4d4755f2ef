export interface WrkResult {
  /** Answered requests. */
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** Milliseconds; Infinity if nothing was answered. */
  readonly p50: number;
  readonly p99: number;
  /** Socket errors, timeouts, and answers that are errors. */
  readonly errors: number;
}

const MILLISECONDS: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * Reads what `wrk --latency` with replay.lua prints.
 *
 * @throws Error if it isn't that
 */
export function parseWrkOutput(output: string): WrkResult {
  const find = (pattern: RegExp) => pattern.exec(output)?.slice(1);
  const expect = (pattern: RegExp) => {
    const [value] = find(pattern) ?? [];
    if (value === undefined) {
      throw new Error(`wrk did not print ${pattern.source}:\n${output}`);
    }
    return value;
  };
  // Both lines are left out when there are none.
  const socketErrors =
    find(/Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/) ?? [];
  const statusErrors = find(/Non-2xx or 3xx responses: (\d+)/) ?? [];
  // Only where the answers are looked into; those with an error's status are counted by both then.
  const [refused = '0'] = find(/Refused: (\d+)/) ?? [];
  const errors = sum(socketErrors) + Math.max(sum(statusErrors), Number(refused));
  const requests = Number(expect(/(\d+) requests in /));
  const latency = (pattern: RegExp) => {
    const printed = milliseconds(expect(pattern));
    return requests === 0 ? Number.POSITIVE_INFINITY : printed;
  };
  return {
    requests,
    // wrk's own rate counts the time in which connections are made.
    requestsPerSecond: requests / Number(expect(/^Seconds: ([\d.]+)$/m)),
    p50: latency(/^ +50% +(\S+) *$/m),
    p99: latency(/^ +99% +(\S+) *$/m),
    // To wrk, silence shorter than its timeout is nothing.
    errors: requests === 0 ? Math.max(1, errors) : errors,
  };
}

function sum(counts: readonly string[]): number {
  return counts.reduce((total, count) => total + Number(count), 0);
}

function milliseconds(text: string): number {
  const { number, unit = '' } = /^(?<number>[\d.]+)(?<unit>[a-z]+)$/.exec(text)?.groups ?? {};
  const factor = MILLISECONDS[unit];
  if (number === undefined || factor === undefined) {
    throw new Error(`wrk printed a time of ${JSON.stringify(text)}`);
  }
  return Number(number) * factor;
}
