/** A quota that may be used at once, and comes back evenly within the window. */
export interface RateLimitPolicy {
  /** Requests. */
  readonly quota: number;
  readonly windowSeconds: number;
}

export interface NamedPolicy extends RateLimitPolicy {
  readonly name: string;
}

const POLICY = /^(?<quota>[1-9]\d{0,8})\/(?<seconds>[1-9]\d{0,4})s$/;

/** Reads a policy such as "60000/60s"; undefined if it is none. */
export function parsePolicy(text: string): RateLimitPolicy | undefined {
  const { quota, seconds } = POLICY.exec(text)?.groups ?? {};
  return quota === undefined ? undefined : { quota: Number(quota), windowSeconds: Number(seconds) };
}

/** Requests that a policy gives back in a millisecond. */
export function leakRate({ quota, windowSeconds }: RateLimitPolicy): number {
  return quota / (windowSeconds * 1000);
}
