/**
 * Settings of sessions that run statements that read, as the `options` of a connection: rows are read off an index, in its
 * order. PostgreSQL estimates no more of a comparison of rows than its first column, and takes an index on fewer columns
 * for as good, to read all of its rows and sort them; and to read a whole table for as good as to look up a few ids. A
 * plan that is kept has to be good for any values. A sort that can't be avoided would seem so costly that PostgreSQL spends
 * 0.2 s to compile it (https://www.postgresql.org/docs/current/jit-decision.html).
 */
export const READ_SETTINGS = [
  'plan_cache_mode=force_generic_plan',
  'enable_sort=off',
  'enable_incremental_sort=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'jit=off',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/**
 * Settings of all sessions on a sharded database: what isn't routed to one shard is planned by its values, which PostgreSQL
 * finds out by itself. Citus sends dates to its workers in the session's style, which they would read in their own.
 */
export const SHARDED_SETTINGS = '-c plan_cache_mode=auto -c DateStyle=ISO';
