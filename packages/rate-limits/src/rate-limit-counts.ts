import type { Pool } from 'pg';
import { runStatement } from '@gateway/postgres/statement';

/** A limit: `quota` requests, which leak away in `windowSeconds`. */
export interface CountedPolicy {
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
}

/** What all processes together have used of a limit. */
export interface SharedLevel {
  readonly level: number;
  /** Milliseconds since 1970 by the clock of the database. */
  readonly at: number;
}

/*
 * Time is the database's: those of processes may differ. Its own goes back where another server takes over; then
 * nothing leaks until it has caught up. A time that is ahead by more than a window is of a clock that was wrong:
 * it would keep others from ever getting anything back. No level is above twice the quota, so that nobody is shut
 * out for longer than a window.
 */
const ADD = {
  name: 'add-rate-limit-counts',
  text: `
    INSERT INTO rate_limit_counts AS known (policy, subject, level, at)
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

/** Rows that are looked at in one statement: few enough for a tenth of the time that it may take. */
const AT_MOST = 1000;

/**
 * Looks at the next rows of a limit and removes the old ones of them; so it takes as long for a table of any
 * size, without an index that each request's count would have to keep up. It passes over rows that somebody is
 * about to write: waiting for each other, two processes could come to a circle.
 */
const REMOVE_OLD = {
  name: 'remove-old-rate-limit-counts',
  text: `
    WITH next AS MATERIALIZED (
      SELECT subject FROM rate_limit_counts
      WHERE policy = $1 AND subject >= $2 ORDER BY subject LIMIT ${AT_MOST}
    ), removed AS (
      DELETE FROM rate_limit_counts WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM rate_limit_counts
        WHERE policy = $1 AND subject BETWEEN $2 AND (SELECT max(subject) FROM next)
          AND at < now() - 2 * $3::float8 * interval '1 second'
        FOR UPDATE SKIP LOCKED))
    )
    SELECT count(*), max(subject) FROM next`,
};

/** What all processes have counted for rate limits. */
export function createRateLimitQueries(pool: Pool) {
  return {
    sharedCounts: ({ name, quota, windowSeconds }: CountedPolicy) => ({
      /** Adds requests; tells the level of each subject after that. */
      add: async (
        counted: readonly { readonly subject: string; readonly requests: number }[],
      ): Promise<Map<string, SharedLevel>> => {
        // In one order, so that two processes that write at once never wait for each other in a circle.
        const rows = counted.toSorted((a, b) => (a.subject < b.subject ? -1 : 1));
        const levels = await runStatement(pool, ADD, [
          name,
          rows.map(({ subject }) => subject),
          rows.map(({ requests }) => requests),
          quota,
          windowSeconds,
        ]);
        return new Map(
          levels.map(([subject, level, at]) => [
            subject ?? '',
            { level: Number(level), at: Number(at) },
          ]),
        );
      },
    }),
    /** Removes of one limit what has leaked away, whatever it was. */
    removeOld: async ({
      name,
      windowSeconds,
    }: Pick<CountedPolicy, 'name' | 'windowSeconds'>): Promise<void> => {
      let looked;
      let last = '';
      do {
        const [row] = await runStatement(pool, REMOVE_OLD, [name, last, windowSeconds]);
        looked = Number(row?.[0]);
        last = row?.[1] ?? '';
      } while (looked === AT_MOST);
    },
  };
}
