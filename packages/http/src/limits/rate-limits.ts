import { log, outsideRequest } from '@store-gateway/ops';
import { GraphQLError } from 'graphql';
import { codedError } from '@store-gateway/ops/errors';
import { LRUCache } from 'lru-cache';

/** A bucket's level, counted across all processes. */
interface SharedLevel {
  /** The number of requests in the bucket. */
  readonly level: number;
  /** Milliseconds since 1970 by the database's clock. */
  readonly at: number;
}

/*
 * Times come from the database's clock, because the processes' clocks may differ. After a failover to a different server, the
 * clock may be behind; in that case, nothing leaks until the clock has caught up. A time more than a window ahead came from a
 * wrong clock, and is discarded. A level is at most twice the quota, so that no subject is locked out for longer than a window.
 */
const ADD = {
  name: 'add-rate-limit-counts',
  text: `
    INSERT INTO _gateway_rate_limit_counts AS known (policy, subject, level, at)
    SELECT $1, subject, requests, now()
    FROM unnest($2::text[], $3::float8[]) AS counted (subject, requests)
    ON CONFLICT (policy, subject) DO UPDATE SET
      level = least(2 * $4::float8, excluded.level + CASE
        WHEN known.at > excluded.at + $5::float8 * interval '1 second' THEN 0
        ELSE greatest(0, known.level - greatest(0, extract(epoch FROM excluded.at - known.at)::float8)
          * $4::float8 / $5::float8)
      END),
      at = CASE
        WHEN known.at > excluded.at + $5::float8 * interval '1 second' THEN excluded.at
        ELSE greatest(known.at, excluded.at)
      END
    RETURNING subject, level, (extract(epoch FROM at) * 1000)::bigint`,
};

/** Rows per statement, few enough that a statement takes at most a tenth of the statement timeout. */
const BATCH_SIZE = 1000;

/**
 * Deletes the expired rows in the next batch of a limit's rows, in key order. A statement therefore takes the same time on a
 * table of any size, and needs no index on time, which each count would have to update. Rows that a writer has locked are
 * skipped, so that processes cannot deadlock.
 */
const REMOVE_OLD = {
  name: 'remove-old-rate-limit-counts',
  text: `
    WITH next AS MATERIALIZED (
      SELECT subject FROM _gateway_rate_limit_counts
      WHERE policy = $1 AND subject >= $2 ORDER BY subject LIMIT ${BATCH_SIZE}
    ), removed AS (
      DELETE FROM _gateway_rate_limit_counts WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM _gateway_rate_limit_counts
        WHERE policy = $1 AND subject BETWEEN $2 AND (SELECT max(subject) FROM next)
          AND at < now() - 2 * $3::float8 * interval '1 second'
        FOR UPDATE SKIP LOCKED))
    )
    SELECT count(*), max(subject) FROM next`,
};

/** Runs a statement, which may be prepared under its name. Resolves to its rows, each as a list of values. */
type RunStatement = (
  statement: { readonly name: string; readonly text: string },
  values: readonly unknown[],
) => Promise<readonly (readonly unknown[])[]>;

/** The counts of all processes, in the database. */
export interface SharedCounts extends ReturnType<typeof createSharedCounts> {}

/** Creates the counts that all processes share in the database table _gateway_rate_limit_counts. */
export function createSharedCounts(runStatement: RunStatement) {
  return {
    /** Adds requests, and resolves to the resulting level of each subject. */
    add: async (
      { name, quota, windowSeconds }: NamedPolicy,
      counted: readonly { readonly subject: string; readonly requests: number }[],
    ): Promise<ReadonlyMap<string, SharedLevel>> => {
      // In a fixed order, so that concurrent processes can't deadlock.
      const rows = counted.toSorted((a, b) => (a.subject < b.subject ? -1 : 1));
      const levels = await runStatement(ADD, [
        name,
        rows.map(({ subject }) => subject),
        rows.map(({ requests }) => requests),
        quota,
        windowSeconds,
      ]);
      return new Map(
        levels.map(([subject, level, at]) => [
          String(subject),
          { level: Number(level), at: Number(at) },
        ]),
      );
    },
    /** Deletes counts that are so old that they have leaked away, whatever their level was. */
    removeOld: async ({ name, windowSeconds }: Omit<NamedPolicy, 'quota'>): Promise<void> => {
      let rows: number;
      let last = '';
      do {
        const [row] = await runStatement(REMOVE_OLD, [name, last, windowSeconds]);
        const [count, highest] = row ?? [];
        rows = Number(count);
        last = typeof highest === 'string' ? highest : '';
      } while (rows === BATCH_SIZE);
    },
  };
}

/** A quota of requests that may be used at once, and that refills evenly within a window. */
export interface RateLimitPolicy {
  /** The number of requests. */
  readonly quota: number;
  readonly windowSeconds: number;
}

/** A policy with its name in responses and in the database. */
interface NamedPolicy extends RateLimitPolicy {
  readonly name: string;
}

const POLICY = /^(?<quota>[1-9]\d{0,8})\/(?<seconds>[1-9]\d{0,4})s$/;

/** Parses a policy such as "60000/60s"; returns undefined if it is invalid. */
export function parsePolicy(text: string): RateLimitPolicy | undefined {
  const { quota, seconds } = POLICY.exec(text)?.groups ?? {};
  return quota === undefined ? undefined : { quota: Number(quota), windowSeconds: Number(seconds) };
}

/** The longest window that a policy may have, in seconds: more than a day. */
export const MAX_WINDOW_SECONDS = 99_999;

/** Whether a policy can be written in the format of `parsePolicy`. */
function isPolicy({ quota, windowSeconds }: RateLimitPolicy): boolean {
  return POLICY.test(`${quota}/${windowSeconds}s`);
}

/** Returns the number of requests that leak from a bucket in a given time; 0 if a clock has gone back. */
function leakedIn({ quota, windowSeconds }: RateLimitPolicy, milliseconds: number): number {
  return (Math.max(0, milliseconds) * quota) / (windowSeconds * 1000);
}

/** The remaining quota after a request. */
export interface RemainingQuota {
  /** Whether the request is within the limit. */
  readonly allowed: boolean;
  /** The number of requests left. */
  readonly remaining: number;
  /** Whole seconds until another request is allowed; at least 1. */
  readonly moreAfter: number;
}

/** The part of the remaining quota that a process may use before it must share its count. */
const URGENT_PART = 1 / 16;

const NOT_SYNCED: SharedLevel = { level: 0, at: 0 };

/** Compensates for rounding errors when fractions are added. */
const EPSILON = 1e-6;

/** A leaky bucket. Each request adds one, and the quota leaks out evenly within the window. */
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
    /** The time of `level`, in milliseconds of the process's clock. */
    at: now,
    /** Requests that the database's count doesn't include yet. */
    unsynced: 0,
    /** The database's level at the last sync: for all processes, and by the database's clock. */
    synced: NOT_SYNCED,
    /**
     * The number of unsynced requests that makes the next sync urgent, so that no process uses up a quota that other processes
     * rely on.
     */
    urgentAt: urgentAt(policy, 0),
    /** Whether the bucket was evicted. The subject's next request then gets a new bucket. */
    isEvicted: false,
  };
}

/**
 * Lets a bucket leak for the time since it was last used.
 *
 * @param now milliseconds of the process's clock
 */
function leak(bucket: Bucket, policy: RateLimitPolicy, now: number): void {
  bucket.level = Math.max(0, bucket.level - leakedIn(policy, now - bucket.at));
  bucket.at = now;
}

/**
 * Adds the requests that other processes counted: the difference between the database's level and the expected one. This
 * process's own requests are left unchanged, because the bucket already reflects their exact times.
 *
 * @param synced the database's level, which now includes `requests` more requests from this process
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
 * Returns a bucket's remaining quota, in whole requests.
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

/** Milliseconds from a request until it is synced to the other processes. */
const SYNC_INTERVAL_MS = 500;
/**
 * The shorter interval for when a bucket's unsynced requests reach URGENT_PART of its remaining quota. It is also the minimum
 * pause between two syncs.
 */
const URGENT_INTERVAL_MS = 20;

/**
 * Adds this process's requests to the shared counts, and the other processes' requests to this process's buckets. No request
 * waits for a sync, or fails because of one. While the database is unreachable, each process uses its own counts.
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
        // Some of these requests have leaked away since the previous sync, as they would have in the database.
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

/** Creates the error TOO_MANY_REQUESTS. */
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

/** Returns the headers for TOO_MANY_REQUESTS: which limit was reached, and when to retry. */
export function limitHeaders(error: unknown): Record<string, string> {
  return (error instanceof GraphQLError ? headers.get(error) : undefined) ?? {};
}

/** A limit on the requests from each subject, such as a key or an address. */
export interface RateLimit extends ReturnType<typeof createRateLimit> {}

/** Maximum number of buckets in memory. A subject whose bucket was evicted starts with an empty one. */
const MAX_BUCKETS = 10_000;

/**
 * Creates a rate limit, with the headers defined by
 * https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-11.
 *
 * @param now returns a monotonic clock's time in milliseconds; defaults to the process's
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
    /** The value of the RateLimit-Policy header. */
    policyField: `"${name}";q=${quota};w=${windowSeconds}`,
    /**
     * Returns the RateLimit header for a subject's remaining quota. Its `t` is the time until one more request is allowed.
     * Retry-After has the same value, because it must not be earlier (section 6).
     */
    quotaField: ({ remaining, moreAfter }: RemainingQuota) =>
      `"${name}";r=${remaining};t=${moreAfter}`,
    /** Counts a request if it is within the limit, and returns the remaining quota. */
    take: (subject: string): RemainingQuota => {
      const bucket = bucketOf(subject);
      const allowed = hasRoom(bucket, policy);
      if (allowed) {
        sync.count(bucket);
      }
      return remainingQuota(bucket, policy, allowed);
    },
    /** Returns the remaining quota, without counting a request. */
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

/** The configured limits. A limit that is turned off is undefined. */
export interface RateLimits extends ReturnType<typeof createRateLimits> {}

/**
 * Creates the limits that all processes on one database share.
 *
 * @param now returns a monotonic clock's time in milliseconds
 * @returns the limits, and `keysWith`, which throws a RangeError for a policy that `parsePolicy` couldn't parse
 */
export function createRateLimits(
  counts: SharedCounts,
  policies: {
    readonly rateLimit: RateLimitPolicy | undefined;
    readonly failedAuthLimit: RateLimitPolicy | undefined;
    /** The longest window of any key's policy, in seconds. Defaults to the window of `rateLimit`. */
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
      throw new RangeError(`${name}s is not a valid rate limit for a key`);
    }
    const made = limit(KEY, policy);
    ofKeys.set(name, made);
    return made;
  };
  const keys = rateLimit && keysWith(rateLimit);
  const windowOfKeys = longestWindow ?? rateLimit?.windowSeconds;
  return {
    /** The limit on requests with a valid key, by the key's id. */
    keys,
    /** Returns the limit for keys that have this policy. */
    keysWith,
    /** The limit on requests with an invalid key, by the client's address. */
    failedAuth,
    /** Shares the counts with the other processes. Must be called before the process ends. */
    flush: async (): Promise<void> => {
      const all = [...ofKeys.values(), failedAuth].filter((each) => each !== undefined);
      await Promise.all(all.map((each) => each.flush()));
    },
    /** Deletes shared counts that have leaked away. */
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
