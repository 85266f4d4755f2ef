import { type Client, DatabaseError } from 'pg';
import { StartupFailure } from '@store-gateway/ops';
import { START_TIMEOUT_MS } from '@store-gateway/postgres';
import { stoppedBeforeMigrating } from './refusals.ts';

// The key of Prisma's own schema engine, so that `prisma migrate deploy` waits for us, and we for it. The engine takes it
// again itself: in the same session that is granted at once.
const LOCK_KEY = 72_707_369;
const TIMEOUT_SECONDS = 60;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Waits, up to a minute, until no other process migrates this database, and keeps others waiting until the session ends.
 * The session that migrates holds the lock itself, so that neither can be lost without the other.
 *
 * @param stopped ends the wait
 * @throws StartupFailure
 */
export async function takeMigrationLock(session: Client, stopped?: AbortSignal): Promise<void> {
  // There is no other way out of a statement that waits.
  const cut = () => void session.end();
  const waiting = {
    // The limit is for this wait alone; the statements of a migration may wait for their locks.
    text: `SET lock_timeout = '${TIMEOUT_SECONDS}s'; SELECT pg_advisory_lock(${LOCK_KEY}); RESET lock_timeout`,
    // The client's own timeout is for a server that is frozen or unreachable.
    query_timeout: TIMEOUT_SECONDS * 1000 + START_TIMEOUT_MS,
  };
  try {
    stopped?.throwIfAborted();
    stopped?.addEventListener('abort', cut);
    await session.query(waiting);
    stopped?.throwIfAborted();
  } catch (error) {
    if (stopped?.aborted === true) {
      throw stoppedBeforeMigrating(error);
    }
    if (!(error instanceof DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error;
    throw new StartupFailure(
      `Another process has been migrating this database for more than ${TIMEOUT_SECONDS} s; start again when it is done.`,
      { cause: error },
    );
  } finally {
    stopped?.removeEventListener('abort', cut);
  }
}
