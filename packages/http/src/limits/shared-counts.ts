/** How much of a limit all processes have used together. */
export interface SharedLevel {
  /** Requests in the bucket. */
  readonly level: number;
  /** Milliseconds since 1970 by the database's clock. */
  readonly at: number;
}

/*
 * Times are the database's, because processes' clocks may differ. After a failover to another server, the clock may have gone
 * back: nothing leaks until it has caught up. A time more than a window ahead came from a wrong clock, and is discarded. A
 * level is at most twice the quota, so that no subject is locked out for longer than a window.
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

/** Rows per statement: few enough to take a tenth of the time allowed. */
const BATCH_SIZE = 1000;

/**
 * Removes old rows among the next rows of a limit, in key order. So a statement takes equally long on a table of any size,
 * without an index on time, which each count would have to update. Rows that a writer has locked are skipped, because two
 * processes that wait for each other would deadlock.
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

/** Runs a statement, which may be prepared under its name, and resolves to its rows as lists. */
type RunStatement = (
  statement: { readonly name: string; readonly text: string },
  values: readonly unknown[],
) => Promise<readonly (readonly unknown[])[]>;

/** The counts of all processes, in the database. */
export interface SharedCounts extends ReturnType<typeof createSharedCounts> {}

/** Creates the counts of requests by all processes on a database, in its table _gateway_rate_limit_counts. */
export function createSharedCounts(runStatement: RunStatement) {
  return {
    /** Adds requests, and resolves to each subject's level after that. */
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
    /** Removes counts that are old enough to have leaked away, whatever their level was. */
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

/** A quota of requests that may be used at once, and is restored evenly within the window. */
export interface RateLimitPolicy {
  /** The number of requests. */
  readonly quota: number;
  readonly windowSeconds: number;
}

/** A policy with the name that it has in responses and in the database. */
export interface NamedPolicy extends RateLimitPolicy {
  readonly name: string;
}

const POLICY = /^(?<quota>[1-9]\d{0,8})\/(?<seconds>[1-9]\d{0,4})s$/;

/** Parses a policy such as "60000/60s"; returns undefined if it is invalid. */
export function parsePolicy(text: string): RateLimitPolicy | undefined {
  const { quota, seconds } = POLICY.exec(text)?.groups ?? {};
  return quota === undefined ? undefined : { quota: Number(quota), windowSeconds: Number(seconds) };
}

/** The longest window that a policy may have, in seconds: more than a day. */
export const LONGEST_WINDOW = 99_999;

/** Whether a policy can be written as `parsePolicy` expects it. */
export function isPolicy({ quota, windowSeconds }: RateLimitPolicy): boolean {
  return POLICY.test(`${quota}/${windowSeconds}s`);
}

/** The requests that leak from the bucket in a time; none if a clock has gone back. */
export function leakedIn({ quota, windowSeconds }: RateLimitPolicy, milliseconds: number): number {
  return (Math.max(0, milliseconds) * quota) / (windowSeconds * 1000);
}
