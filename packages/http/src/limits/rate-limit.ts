import { LRUCache } from 'lru-cache';
import {
  hasRoom,
  leak,
  newBucket,
  remainingQuota,
  type Bucket,
  type RemainingQuota,
} from './bucket.ts';
import type { NamedPolicy } from './policy.ts';
import type { SharedCounts } from './shared-counts.ts';
import { createSync } from './sync.ts';

/** A limit on the requests of each of many subjects, such as keys or addresses. */
export interface RateLimit extends ReturnType<typeof createRateLimit> {}

/** Buckets in memory; an evicted subject starts with an empty one. */
const MAX_BUCKETS = 10_000;

/**
 * Its headers are those of https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-11.
 *
 * @param now milliseconds of a monotonic clock; by default the process's
 */
export function createRateLimit(
  policy: NamedPolicy,
  counts: Pick<SharedCounts, 'add'>,
  now: () => number = () => performance.now(),
) {
  const { name, quota, windowSeconds } = policy;
  const sync = createSync(policy, counts, now);
  const buckets = new LRUCache<string, Bucket>({ max: MAX_BUCKETS, dispose: sync.evict });

  function bucketOf(subject: string): Bucket {
    const known = buckets.get(subject);
    if (known !== undefined) {
      leak(known, policy, now());
      return known;
    }
    const bucket = newBucket(subject, policy, now());
    buckets.set(subject, bucket);
    return bucket;
  }

  return {
    policy,
    /** The RateLimit-Policy header. */
    policyField: `"${name}";q=${quota};w=${windowSeconds}`,
    /**
     * The RateLimit header for what a subject has left, with the seconds until one request is given back: so it agrees
     * with Retry-After, which must not be earlier (section 6).
     */
    quotaField: ({ remaining, moreAfter }: RemainingQuota) =>
      `"${name}";r=${remaining};t=${moreAfter}`,
    /** Counts a request if it is within the limit, and returns whether it is. */
    take: (subject: string): RemainingQuota => {
      const bucket = bucketOf(subject);
      const allowed = hasRoom(bucket, policy);
      if (allowed) {
        sync.count(bucket);
      }
      return remainingQuota(bucket, policy, allowed);
    },
    /** The same, without counting a request. */
    peek: (subject: string): RemainingQuota => {
      const bucket = bucketOf(subject);
      return remainingQuota(bucket, policy, hasRoom(bucket, policy));
    },
    /** Shares what is counted with the other processes. Must be called before the process ends. */
    flush: sync.flush,
  };
}
