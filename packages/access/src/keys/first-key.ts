import { setTimeout as pause } from 'node:timers/promises';
import { log } from '@store-gateway/ops';
import { runStatement } from '@store-gateway/postgres';
import { generateApiKey, hashApiKey } from './key-records.ts';
import { findKey, type KeyLookups } from './key-lookups.ts';

const RETRY_INTERVAL_MS = 1000;

const FIND_ANY = { name: 'find-any-key', text: 'SELECT id FROM _gateway_api_keys LIMIT 1' };

/** One transaction, since it is one message. @param hash of a key of ours, so that nothing has to be quoted */
const createFirst = (hash: Buffer): string => `
  LOCK TABLE _gateway_api_keys IN SHARE ROW EXCLUSIVE MODE;
  INSERT INTO _gateway_api_keys (name, hash)
  SELECT 'first', '\\x${hash.toString('hex')}' WHERE NOT EXISTS (SELECT FROM _gateway_api_keys)`;

/**
 * Creates the store's first key, unless it has one. The process serves requests already, so while the database is away it
 * retries, until `stopped`.
 *
 * @returns the key, if this process has created it
 */
export async function makeFirstKey(
  database: KeyLookups,
  stopped: AbortSignal,
  retryIntervalMs = RETRY_INTERVAL_MS,
): Promise<string | undefined> {
  let isLogged = false;
  while (!stopped.aborted) {
    try {
      return await createFirstKey(database);
    } catch (error) {
      if (!isLogged) {
        log.warn(
          { err: error },
          'could not check whether the store needs its first key; will try again',
        );
      }
      isLogged = true;
    }
    await pause(retryIntervalMs, undefined, { signal: stopped }).catch(() => undefined);
  }
  return undefined;
}

/** Creates a key unless the store has any, even a revoked one. Of several processes that start at once, only one does. */
async function createFirstKey(database: KeyLookups): Promise<string | undefined> {
  const { $keyPool, $keyPrefix } = database;
  if ((await runStatement($keyPool, FIND_ANY, [])).length > 0) {
    return undefined;
  }
  const key = generateApiKey($keyPrefix);
  await $keyPool.query(createFirst(hashApiKey(key)));
  return (await findKey(database, key)) === undefined ? undefined : key;
}
