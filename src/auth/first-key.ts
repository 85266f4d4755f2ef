import { setTimeout as pause } from 'node:timers/promises';
import { createFirstKey } from './key-records.ts';
import type { Database } from '../database/client.ts';
import { log } from '@gateway/log/log';

/** Milliseconds. */
const BETWEEN_ATTEMPTS_MS = 1000;

/**
 * Makes the store's first key, if it has none yet. For a process that serves requests already, and that goes on
 * when its database is away for a moment: it tries until it knows, or is told to stop.
 *
 * @param betweenAttempts milliseconds
 * @returns the key, if this process has made it
 */
export async function makeFirstKey(
  database: Database,
  stopped: AbortSignal,
  betweenAttempts = BETWEEN_ATTEMPTS_MS,
): Promise<string | undefined> {
  let isTold = false;
  while (!stopped.aborted) {
    try {
      return await createFirstKey(database, 'first');
    } catch (error) {
      if (!isTold) {
        log.warn({ err: error }, 'whether the store needs its first key cannot be told yet');
      }
      isTold = true;
    }
    await pause(betweenAttempts, undefined, { signal: stopped }).catch(() => undefined);
  }
  return undefined;
}
