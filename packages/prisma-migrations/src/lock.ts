import { type Client, DatabaseError } from 'pg';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { START_TIMEOUT_MS } from '@gateway/postgres/connection-failure';
import { stoppedBeforeMigrating } from './refusals.ts';

// The key of Prisma's own schema engine, so that `prisma migrate deploy` waits for us, and we for
// it. The engine takes it again itself: in the same session that is granted at once.
const key = 72_707_369;
const seconds = 60;
const lockNotAvailable = '55P03';

/**
 * Waits, up to a minute, until no other process migrates this database, and keeps others waiting
 * until the session ends. It is held by the session that migrates, not by one beside it, so that
 * neither can be lost without the other. The wait is over, with a StartupFailure, when the process is
 * `stopped`.
 */
export async function takeMigrationLock(session: Client, stopped?: AbortSignal): Promise<void> {
  // There is no other way out of a statement that waits.
  const cut = () => void session.end();
  const waiting = {
    // The limit is for this wait alone; the statements of a migration may wait for their locks.
    text: `SET lock_timeout = '${seconds}s'; SELECT pg_advisory_lock(${key}); RESET lock_timeout`,
    // The client's own clock is for a server that is frozen or unreachable.
    query_timeout: seconds * 1000 + START_TIMEOUT_MS,
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
    if (!(error instanceof DatabaseError) || error.code !== lockNotAvailable) throw error;
    throw new StartupFailure(
      `Another process has been migrating this database for more than ${seconds} s; start again when it is done.`,
      { cause: error },
    );
  } finally {
    stopped?.removeEventListener('abort', cut);
  }
}
