import { redactKeysWith } from '@store-gateway/ops';
import { runWrite } from '@store-gateway/postgres';
import type { Pool } from 'pg';
import type { KeyLookups } from './key-lookups.ts';
import type { KeyDatabase } from './key-records.ts';

/**
 * A database of keys: what they are created, changed and looked up in. From now on the log has none of them.
 *
 * @param pool of a PostgreSQL that has the table `_gateway_api_keys`
 * @param prefix begins each key, such as `books_`
 */
export function keyDatabase(pool: Pool, prefix: string): KeyLookups & KeyDatabase {
  redactKeysWith(prefix);
  return {
    $keyPool: pool,
    $keyPrefix: prefix,
    $write: (statement, values = []) => runWrite(pool, statement, values),
  };
}
