import type { NamedPolicy } from './policy.ts';
import type { Standing } from './usage.ts';

/*
 * https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-11: structured fields (RFC 9651), in
 * which a policy is known by its name.
 */

/** RateLimit-Policy: a quota of requests, and the window in seconds in which it comes back. */
export function policyField({ name, quota, windowSeconds }: NamedPolicy): string {
  return `"${name}";q=${quota};w=${windowSeconds}`;
}

/**
 * RateLimit: the requests that are left, and the seconds for which that is all: until one is given back. So it
 * agrees with Retry-After, which must not be earlier (section 6).
 */
export function standingField(name: string, { remaining, moreAfter }: Standing): string {
  return `"${name}";r=${remaining};t=${moreAfter}`;
}
