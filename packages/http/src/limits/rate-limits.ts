import {
  type RateLimitPolicy,
  type NamedPolicy,
  isPolicy,
  leakedIn,
  type SharedLevel,
  type SharedCounts,
} from './shared-counts.ts';
import { log, outsideRequest } from '@store-gateway/ops';
import { GraphQLError } from 'graphql';
import { codedError } from '@store-gateway/ops/errors';
import { LRUCache } from 'lru-cache';

/** What is left of a limit after a request. */
export interface RemainingQuota {
  /** Whether the request is within the limit. */
  readonly allowed: boolean;
  /** The number of requests that are left. */
  readonly remaining: number;
  /** Whole seconds until another request is allowed, at least 1. */
  readonly moreAfter: number;
}

/** The part of the remaining quota that a process may use before it must share its count. */
const URGENT_PART = 1 / 16;

const NOT_SYNCED: SharedLevel = { level: 0, at: 0 };

/** Compensates for the rounding of added fractions. */
const EPSILON = 1e-6;

/** A leaky bucket: each request adds one, and the quota leaks out evenly within the window. */
interface Bucket extends ReturnType<typeof newBucket> {}

/**
 * Creates an empty bucket.
 *
 * @param subject the id of a key, or an address
 * @param now milliseconds of the process's clock
 */
function newBucket(subject: string, policy: RateLimitPolicy, now: number) {
  return {
    /** The bucket's owner: a key's id, or an address. */
    subject,
    /** Requests in the bucket, as of `at`. */
    level: 0,
    /** Milliseconds of the process's clock. */
    at: now,
    /** Requests that are not in the database's count yet. */
    unsynced: 0,
    /** The database's level at the last sync, for all processes and by the database's clock. */
    synced: NOT_SYNCED,
    /** The number of unsynced requests that makes the next sync urgent, so that no process uses up what others count on. */
    urgentAt: urgentAt(policy, 0),
    /** Whether it was evicted. A later request of the same subject gets a new bucket. */
    isEvicted: false,
  };
}

/**
 * Removes from a bucket what has leaked since it was last used.
 *
 * @param now milliseconds of the process's clock
 */
function leak(bucket: Bucket, policy: RateLimitPolicy, now: number): void {
  bucket.level = Math.max(0, bucket.level - leakedIn(policy, now - bucket.at));
  bucket.at = now;
}

/**
 * Adds the requests of other processes: the difference between the database's level and the expected level. For this process's
 * own requests, the bucket is more exact, because it has their times.
 *
 * @param synced the database's level, including `requests` more of this process
 */
function merge(
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
function hasRoom({ level }: Bucket, { quota }: RateLimitPolicy): boolean {
  return level + 1 <= quota + EPSILON;
}

/**
 * Returns what is left of a bucket, in whole requests.
 *
 * @param allowed whether the current request is within the limit
 */
function remainingQuota(
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

/** Milliseconds from a request to the sync that shares it with the other processes. */
const SYNC_INTERVAL_MS = 500;
/** The interval if a good part of what was left is used up; also the minimum pause between two syncs. */
const URGENT_INTERVAL_MS = 20;

/**
 * Adds this process's requests to the shared counts, and merges the other processes' requests into its buckets. No request
 * waits for a sync, or fails because of one: while the database is unreachable, each process uses its own counts.
 */
function createSync(policy: NamedPolicy, counts: Pick<SharedCounts, 'add'>, now: () => number) {
  const unsynced = new Set<Bucket>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isUrgent = false;
  let isAway = false;
  let lastSync = now();

  function schedule(): void {
    clearTimeout(timer);
    const interval = isUrgent && !isAway ? URGENT_INTERVAL_MS : SYNC_INTERVAL_MS;
    timer = setTimeout(() => void start(), interval).unref();
  }

  async function start(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    running = outsideRequest(sync);
    await running;
    running = undefined;
    if (unsynced.size > 0) {
      schedule();
    }
  }

  async function sync(): Promise<void> {
    const at = now();
    const leaked = leakedIn(policy, at - lastSync);
    lastSync = at;
    isUrgent = false;
    const added = Array.from(unsynced, (bucket) => {
      const { subject, unsynced: requests } = bucket;
      bucket.unsynced = 0;
      return { bucket, subject, requests };
    });
    unsynced.clear();
    try {
      const levels = await counts.add(policy, added);
      for (const { bucket, subject, requests } of added) {
        const level = levels.get(subject);
        if (level !== undefined) {
          merge(bucket, policy, level, requests);
        }
      }
      if (isAway) {
        log.info('rate limits are shared with the other processes again');
      }
      isAway = false;
    } catch (error) {
      if (!isAway) {
        log.warn(
          { err: error },
          'rate limits are not shared: this process counts only its own requests',
        );
      }
      isAway = true;
      for (const { bucket, requests } of added) {
        // A part has leaked away meanwhile, as it would have in the database.
        bucket.unsynced += Math.max(0, requests - leaked);
        if (bucket.unsynced > 0 && !bucket.isEvicted) {
          unsynced.add(bucket);
        }
      }
    }
  }

  return {
    count: (bucket: Bucket): void => {
      bucket.level += 1;
      bucket.unsynced += 1;
      unsynced.add(bucket);
      const becomesUrgent = bucket.unsynced >= bucket.urgentAt && !isUrgent && !isAway;
      isUrgent ||= becomesUrgent;
      if (running === undefined && (becomesUrgent || timer === undefined)) {
        schedule();
      }
    },
    /** Drops a bucket's unsynced requests. */
    evict: (bucket: Bucket): void => {
      bucket.isEvicted = true;
      unsynced.delete(bucket);
    },
    /** Syncs all unsynced requests. Must be called before the process ends. */
    flush: async (): Promise<void> => {
      await running;
      if (unsynced.size > 0) {
        await start();
      }
      clearTimeout(timer);
    },
  };
}

/** The messages of TOO_MANY_REQUESTS for a key, and for an address that sends invalid keys. */
export const LIMIT_MESSAGES = {
  key: 'Too many requests with this API key: see Retry-After for when to continue',
  address:
    'Too many requests with invalid credentials from this address: see Retry-After for when to continue',
} as const;

const headers = new WeakMap<GraphQLError, Record<string, string>>();

/** Returns TOO_MANY_REQUESTS, to be thrown. */
export function tooManyRequests(
  whose: keyof typeof LIMIT_MESSAGES,
  limit: RateLimit,
  quota: RemainingQuota,
): Error {
  const error = codedError('TOO_MANY_REQUESTS', LIMIT_MESSAGES[whose]);
  headers.set(error, {
    'RateLimit-Policy': limit.policyField,
    RateLimit: limit.quotaField(quota),
    'Retry-After': String(quota.moreAfter),
  });
  return error;
}

/** The headers of a TOO_MANY_REQUESTS: which limit was reached, and when to retry. */
export function limitHeaders(error: unknown): Record<string, string> {
  return (error instanceof GraphQLError ? headers.get(error) : undefined) ?? {};
}

/** A limit on the requests of each subject, such as a key or an address. */
export interface RateLimit extends ReturnType<typeof createRateLimit> {}

/** Maximum number of buckets in memory. An evicted subject starts with an empty one. */
const MAX_BUCKETS = 10_000;

/**
 * Creates a rate limit, with the headers of https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-11.
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
     * The RateLimit header for a subject's remaining quota. Its time is that until one more request is allowed, so it agrees
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
    /** Returns what is left, without counting a request. */
    peek: (subject: string): RemainingQuota => {
      const bucket = bucketOf(subject);
      return remainingQuota(bucket, policy, hasRoom(bucket, policy));
    },
    /** Shares the counts with the other processes. Must be called before the process ends. */
    flush: sync.flush,
  };
}

const KEY = 'key';
const FAILED_AUTH = 'failed-auth';

/** The limits in force; those that are off are undefined. */
export interface RateLimits extends ReturnType<typeof createRateLimits> {}

/**
 * Creates the limits that all processes on one database share.
 *
 * @param now milliseconds of a monotonic clock
 * @returns also `keysWith`, which throws a RangeError for a policy that has no written form
 */
export function createRateLimits(
  counts: SharedCounts,
  policies: {
    readonly rateLimit: RateLimitPolicy | undefined;
    readonly failedAuthLimit: RateLimitPolicy | undefined;
    /** The longest window of a key's policy, in seconds; by default that of `rateLimit`. */
    readonly longestWindow?: number | undefined;
  },
  now: () => number,
) {
  const limit = (name: string, policy: RateLimitPolicy) =>
    createRateLimit({ ...policy, name }, counts, now);
  const { rateLimit, failedAuthLimit, longestWindow } = policies;
  const failedAuth = failedAuthLimit && limit(FAILED_AUTH, failedAuthLimit);
  const ofKeys = new Map<string, RateLimit>();
  const keysWith = (policy: RateLimitPolicy): RateLimit => {
    const name = `${policy.quota}/${policy.windowSeconds}`;
    const known = ofKeys.get(name);
    if (known !== undefined) {
      return known;
    }
    if (!isPolicy(policy)) {
      throw new RangeError(`a key's rate limit can't be ${name}s`);
    }
    const made = limit(KEY, policy);
    ofKeys.set(name, made);
    return made;
  };
  const keys = rateLimit && keysWith(rateLimit);
  const windowOfKeys = longestWindow ?? rateLimit?.windowSeconds;
  return {
    /** The limit on requests with a valid key, by its id. */
    keys,
    /** Returns the limit on requests of keys with their own policy. */
    keysWith,
    /** The limit on requests with an invalid key, by the client's address. */
    failedAuth,
    /** Shares the counts with the other processes. Must be called before the process ends. */
    flush: async (): Promise<void> => {
      const all = [...ofKeys.values(), failedAuth].filter((each) => each !== undefined);
      await Promise.all(all.map((each) => each.flush()));
    },
    /** Removes shared counts that have leaked away. */
    removeOld: async (): Promise<void> => {
      if (windowOfKeys !== undefined) {
        await counts.removeOld({ name: KEY, windowSeconds: windowOfKeys });
      }
      if (failedAuthLimit !== undefined) {
        await counts.removeOld({ name: FAILED_AUTH, ...failedAuthLimit });
      }
    },
  };
}
