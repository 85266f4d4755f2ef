import type { SharedLevel } from './rate-limit-counts.ts';
import { leakRate, type RateLimitPolicy } from './policy.ts';

/**
 * What somebody has used of a quota: a bucket that leaks. Each request adds one, and what a policy gives back
 * runs out, so that there is no window whose end everybody waits for.
 */
export interface Usage {
  /** Whose it is: a key's id, or an address. */
  readonly subject: string;
  /** Requests in the bucket, as of `at`. */
  level: number;
  /** Milliseconds of the process's clock. */
  at: number;
  /** Requests that the database is yet to be told of. */
  untold: number;
  /** What the database told last: of all processes together, by its own clock. */
  told: SharedLevel;
  /** As many of them that it is told soon, so that no process uses up the rest while others do the same. */
  share: number;
  /** Set once nobody looks it up any more: it had to make room. */
  isForgotten: boolean;
}

/** How somebody stands. */
export interface Standing {
  /** Whether the request is within the limit. */
  readonly allowed: boolean;
  /** Requests that are left. */
  readonly remaining: number;
  /** Whole seconds after which there are more, at least 1. */
  readonly moreAfter: number;
}

/** A part of what is left that a process may use before the others have to hear of it. */
const SHARES = 16;

/** For what is lost of fractions where they are added up. */
const TINY = 1e-6;

export function newUsage(subject: string, policy: RateLimitPolicy, now: number): Usage {
  return {
    subject,
    level: 0,
    at: now,
    untold: 0,
    told: { level: 0, at: 0 },
    share: shareOf(policy, 0),
    isForgotten: false,
  };
}

/** Brings a usage up to the time. */
export function leak(usage: Usage, policy: RateLimitPolicy, now: number): void {
  usage.level = leaked(usage.level, policy, now - usage.at);
  usage.at = now;
}

/**
 * Takes over what the other processes have used: what there is more than this one has known of. Of its own
 * requests it knows better when they came than the database, which is told of them later.
 *
 * @param told what the database tells now that it has heard of `requests` more
 */
export function learn(
  usage: Usage,
  policy: RateLimitPolicy,
  { told, requests }: { readonly told: SharedLevel; readonly requests: number },
): void {
  const expected = leaked(usage.told.level, policy, told.at - usage.told.at) + requests;
  usage.level = Math.min(2 * policy.quota, usage.level + Math.max(0, told.level - expected));
  usage.told = told;
  usage.share = shareOf(policy, usage.level);
}

/** A clock that goes back leaks nothing. */
function leaked(level: number, policy: RateLimitPolicy, elapsed: number): number {
  return Math.max(0, level - Math.max(0, elapsed) * leakRate(policy));
}

/** Whether one more request is within the limit. */
export function hasRoom({ level }: Usage, { quota }: RateLimitPolicy): boolean {
  return level + 1 <= quota + TINY;
}

export function standingOf({ level }: Usage, policy: RateLimitPolicy, allowed: boolean): Standing {
  const { quota, windowSeconds } = policy;
  const remaining = Math.max(0, Math.floor(quota - level + TINY));
  const missing = level - (quota - remaining - 1);
  return {
    allowed,
    remaining,
    moreAfter: Math.max(1, Math.ceil((missing * windowSeconds) / quota - TINY)),
  };
}

function shareOf({ quota }: RateLimitPolicy, level: number): number {
  return Math.max(1, Math.floor((quota - level) / SHARES));
}
