import type { Pool, QueryArrayConfig, QueryConfig } from 'pg';
import type { Pooler } from './pooler.ts';
import type { ServerRole } from './standby.ts';

/**
 * A pool behind a pooler, which may hand each transaction to another session, of another server. So statements have names
 * only where the pooler tracks them, and a SELECT for the primary fails on a standby by itself, because no session can be checked
 * beforehand.
 */
export function withoutSession(pool: Pool, { keepsNames }: Pooler, role: ServerRole): Pool {
  const query = (config: string | QueryConfig | QueryArrayConfig, values?: unknown[]): unknown => {
    if (typeof config === 'string') {
      return pool.query(config, values);
    }
    const { name, ...unnamed } = {
      ...config,
      text: role === 'primary' ? onPrimary(config.text) : config.text,
    };
    return pool.query(keepsNames ? { name, ...unnamed } : unnamed, values);
  };
  return new Proxy(pool, {
    get: (target, property): unknown =>
      property === 'query' ? query : Reflect.get(target, property, target),
  });
}

const READ = /^\s*(?:select\b|with\b(?!.*\b(?:insert|update|delete|merge)\b))/is;

/**
 * PostgreSQL evaluates the limit once, before any row, and the function is an error on a standby (55000); writes are
 * refused there anyway. https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADMIN-BACKUP
 */
function onPrimary(text: string): string {
  return READ.test(text)
    ? `SELECT * FROM (${text}) AS read LIMIT CASE WHEN pg_current_wal_lsn() IS NULL THEN 0 END`
    : text;
}
