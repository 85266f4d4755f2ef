import { readConfig } from '../config.ts';
import type { Database } from '../database/client.ts';
import { expectEmbeddedPostgres } from '../database/embedded/join.ts';
import { startDatabase } from '../database/start.ts';
import { log } from '../log.ts';
import { CommandFailure } from './command-failure.ts';

/**
 * What a command does on a database; resolves to what it prints.
 *
 * @param interrupted by Ctrl-C or a supervisor: for an action that takes its time
 */
export type Action = (database: Database, interrupted: AbortSignal) => Promise<string>;

/**
 * Does something on the database that the service would use, be it running or not.
 *
 * @param mayMakeStore whether it makes an embedded one where there is none. Whoever wants to see or take away
 *   something has the wrong folder then, and is to hear of it.
 * @throws CommandFailure if it was interrupted before the action began; StartupFailure
 */
export async function onDatabase(
  action: Action,
  { mayMakeStore }: { readonly mayMakeStore: boolean },
): Promise<string> {
  // oxlint-disable-next-line node/no-process-env -- an entry point hands the environment over
  const config = readConfig(process.env);
  // The answer alone goes to stdout, where the log would go too.
  log.level = 'silent';
  // A signal would leave an embedded PostgreSQL behind. It may come twice, see src/stopping.ts.
  const interruption = new AbortController();
  const interrupt = () => {
    interruption.abort();
  };
  process.on('SIGTERM', interrupt).on('SIGINT', interrupt);
  if (config.databaseUrl === undefined && !mayMakeStore) {
    await expectEmbeddedPostgres(config.dataDirectory);
  }
  const { signal } = interruption;
  const { database, stop } = await startDatabase(config, undefined, signal).catch(
    (error: unknown) => {
      throw signal.aborted ? interrupted() : error;
    },
  );
  try {
    if (signal.aborted) {
      throw interrupted();
    }
    return await action(database, signal);
  } finally {
    await stop();
  }
}

function interrupted(): CommandFailure {
  return new CommandFailure(1, 'interrupted before anything was done');
}
