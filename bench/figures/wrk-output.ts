export interface WrkResult {
  /** Answered requests. */
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** Milliseconds; Infinity if nothing was answered. */
  readonly p50: number;
  readonly p99: number;
  /** Socket errors, timeouts and error responses. */
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
 * Parses the output of `wrk --latency` with replay.lua.
 *
 * @throws Error if it is anything else
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
  // wrk omits either line if there are no such errors.
  const socketErrors =
    find(/Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/) ?? [];
  const statusErrors = find(/Non-2xx or 3xx responses: (\d+)/) ?? [];
  // Counted only if responses are checked. Then those with an error status are in both counts.
  const [refused = '0'] = find(/Refused: (\d+)/) ?? [];
  const errors = sum(socketErrors) + Math.max(sum(statusErrors), Number(refused));
  const requests = Number(expect(/(\d+) requests in /));
  const latency = (pattern: RegExp) => {
    const printed = milliseconds(expect(pattern));
    return requests === 0 ? Number.POSITIVE_INFINITY : printed;
  };
  return {
    requests,
    // wrk's own rate includes the time for opening connections.
    requestsPerSecond: requests / Number(expect(/^Seconds: ([\d.]+)$/m)),
    p50: latency(/^ +50% +(\S+) *$/m),
    p99: latency(/^ +99% +(\S+) *$/m),
    // wrk reports no error for silence that is shorter than its timeout.
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
