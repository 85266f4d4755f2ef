import { setTimeout as pause } from 'node:timers/promises';
import { log } from '@gateway/log/log';
import { createFirstKey, type KeyDatabase } from './key-records.ts';

const RETRY_INTERVAL_MS = 1000;

/**
 * Creates the store's first key, unless it has one. The process serves requests already, so while the database is away it
 * retries, until `stopped`.
 *
 * @returns the key, if this process has created it
 */
export async function makeFirstKey(
  database: KeyDatabase,
  stopped: AbortSignal,
  retryIntervalMs = RETRY_INTERVAL_MS,
): Promise<string | undefined> {
  let isLogged = false;
  while (!stopped.aborted) {
    try {
      return await createFirstKey(database);
    } catch (error) {
      if (!isLogged) {
        log.warn({ err: error }, 'whether the store needs its first key cannot be told yet');
      }
      isLogged = true;
    }
    await pause(retryIntervalMs, undefined, { signal: stopped }).catch(() => undefined);
  }
  return undefined;
}
