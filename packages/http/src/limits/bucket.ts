import { leakedIn, type RateLimitPolicy } from './policy.ts';
import type { SharedLevel } from './shared-counts.ts';

/** What a request has left of its limit. */
export interface RemainingQuota {
  /** Whether the request is within the limit. */
  readonly allowed: boolean;
  /** Requests. */
  readonly remaining: number;
  /** Whole seconds until there are more, at least 1. */
  readonly moreAfter: number;
}

/** A process may use this part of what is left before the others have to hear of it. */
const URGENT_PART = 1 / 16;

const NOT_SYNCED: SharedLevel = { level: 0, at: 0 };

/** Makes up for the rounding of added fractions. */
const EPSILON = 1e-6;

/** A leaky bucket: each request adds one, and the quota leaks out evenly within the window. */
export interface Bucket extends ReturnType<typeof newBucket> {}

/**
 * An empty bucket.
 *
 * @param subject the id of a key, or an address
 * @param now milliseconds of the process's clock
 */
export function newBucket(subject: string, policy: RateLimitPolicy, now: number) {
  return {
    /** The bucket's owner: a key's id, or an address. */
    subject,
    /** Requests in the bucket, as of `at`. */
    level: 0,
    /** Milliseconds of the process's clock. */
    at: now,
    /** Requests that are not in the database's count yet. */
    unsynced: 0,
    /** The database's level at the last sync: of all processes, by its own clock. */
    synced: NOT_SYNCED,
    /** Unsynced requests that make the next sync urgent, so that no process uses up what others count on. */
    urgentAt: urgentAt(policy, 0),
    /** Set once it was evicted: a later request of the same subject has a new one. */
    isEvicted: false,
  };
}

/**
 * Lets out of a bucket what has leaked since it was last touched.
 *
 * @param now milliseconds of the process's clock
 */
export function leak(bucket: Bucket, policy: RateLimitPolicy, now: number): void {
  bucket.level = Math.max(0, bucket.level - leakedIn(policy, now - bucket.at));
  bucket.at = now;
}

/**
 * Adds what other processes have used: what the database has beyond what it was expected to have. Of this process's own
 * requests the bucket knows better when they came.
 *
 * @param synced the database's level now that it includes `requests` more of this process
 */
export function merge(
  bucket: Bucket,
  policy: RateLimitPolicy,
  synced: SharedLevel,
  requests: number,
): void {
  const leaked = leakedIn(policy, synced.at - bucket.synced.at);
  const expected = Math.max(0, bucket.synced.level - leaked) + requests;
  const level = bucket.level + Math.max(0, synced.level - expected);
  bucket.level = Math.min(2 * policy.quota, level);
  bucket.synced = synced;
  bucket.urgentAt = urgentAt(policy, bucket.level);
}

/** Whether one more request is within the limit. */
export function hasRoom({ level }: Bucket, { quota }: RateLimitPolicy): boolean {
  return level + 1 <= quota + EPSILON;
}

/**
 * What is left of a bucket, in whole requests.
 *
 * @param allowed whether the request that asks is within the limit
 */
export function remainingQuota(
  { level }: Bucket,
  { quota, windowSeconds }: RateLimitPolicy,
  allowed: boolean,
): RemainingQuota {
  const remaining = Math.max(0, Math.floor(quota - level + EPSILON));
  const missing = level - (quota - remaining - 1);
  const seconds = Math.ceil((missing * windowSeconds) / quota - EPSILON);
  return { allowed, remaining, moreAfter: Math.max(1, seconds) };
}

function urgentAt({ quota }: RateLimitPolicy, level: number): number {
  return Math.max(1, Math.floor((quota - level) * URGENT_PART));
}
