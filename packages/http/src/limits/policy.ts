/** A quota of requests that may be used at once, and comes back evenly within the window. */
export interface RateLimitPolicy {
  /** Requests. */
  readonly quota: number;
  readonly windowSeconds: number;
}

/** A policy that responses and the database name. */
export interface NamedPolicy extends RateLimitPolicy {
  readonly name: string;
}

const POLICY = /^(?<quota>[1-9]\d{0,8})\/(?<seconds>[1-9]\d{0,4})s$/;

/** Parses a policy such as "60000/60s"; undefined if it is none. */
export function parsePolicy(text: string): RateLimitPolicy | undefined {
  const { quota, seconds } = POLICY.exec(text)?.groups ?? {};
  return quota === undefined ? undefined : { quota: Number(quota), windowSeconds: Number(seconds) };
}

/** Longer than a day, and what a policy may have at most. */
export const LONGEST_WINDOW = 99_999;

/** Whether a policy is one that can be written. */
export function isPolicy({ quota, windowSeconds }: RateLimitPolicy): boolean {
  return POLICY.test(`${quota}/${windowSeconds}s`);
}

/** What leaks from the bucket in so many milliseconds; nothing where a clock has gone back. */
export function leakedIn({ quota, windowSeconds }: RateLimitPolicy, milliseconds: number): number {
  return (Math.max(0, milliseconds) * quota) / (windowSeconds * 1000);
}
