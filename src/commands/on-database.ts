import { readConfig } from '../config.ts';
import type { DatabaseRole } from '@gateway/postgres/application-name';
import type { Database } from '../database/client.ts';
import { expectEmbeddedPostgres } from '@gateway/embedded-postgres/join';
import { MINIMUM_POOL_SIZE } from '@gateway/postgres/pool-size';
import { log } from '@gateway/log/log';
import { CommandFailure } from '@gateway/command-line/command-failure';
import type { CommandIo, Output } from '@gateway/command-line/command';

/** Milliseconds. Nobody waits for a command as for a request: on a busy machine it is to get through. */
const TIMEOUTS = { connection: 10_000, statement: 10_000 };

/** What a command does on a database; resolves to what it prints. */
export type Action = (
  database: Database,
  surroundings: {
    readonly stderr: Output;
    /** By Ctrl-C or a supervisor: for an action that takes its time. */
    readonly interrupted: AbortSignal;
  },
) => Promise<string>;

/**
 * Does something on the database that the service would use, be it running or not.
 *
 * @param role by which the database knows the command's connections
 * @param mayMakeStore whether it makes an embedded one where there is none. Whoever wants to see or take away
 *   something has the wrong folder then, and is to hear of it.
 * @returns what throws a CommandFailure if it was interrupted before the action began, or a StartupFailure
 */
export function onDatabase(
  action: Action,
  { role, mayMakeStore }: { readonly role: DatabaseRole; readonly mayMakeStore: boolean },
): (io: CommandIo) => Promise<string> {
  return async (io) => {
    const { config, waiting } = await prepare(io, mayMakeStore);
    const interrupted = waiting.stopped;
    // Most of what a command loads, which --help does without.
    const { startDatabase } = await import('../database/start.ts');
    const { database, stop } = await startDatabase(config, {
      ...waiting,
      timeouts: TIMEOUTS,
      // It asks for one thing after the other.
      poolSize: MINIMUM_POOL_SIZE,
      role,
    }).catch((error: unknown) => {
      throw interrupted.aborted ? nothingDone() : error;
    });
    try {
      if (interrupted.aborted) {
        throw nothingDone();
      }
      return await action(database, { stderr: io.stderr, interrupted });
    } finally {
      await stop();
    }
  };
}

/** Reads which database it is, and how to wait for it. @throws StartupFailure */
export async function prepare({ env, stderr, catchSignals }: CommandIo, mayMakeStore: boolean) {
  const config = readConfig(env);
  // The answer alone goes to stdout, where the log would go too.
  log.level = 'silent';
  // A signal would leave an embedded PostgreSQL behind.
  const stopped = catchSignals();
  if (config.databaseUrl === undefined && !mayMakeStore) {
    await expectEmbeddedPostgres(config.dataDirectory);
  }
  const onSlowWait = (waitingFor: string) => {
    // For who looks on; a script takes what is on stderr for a failure.
    if (stderr.isTTY === true) {
      stderr.write(`still waiting for ${waitingFor}\n`);
    }
  };
  return { config, waiting: { stopped, onSlowWait } };
}

function nothingDone(): CommandFailure {
  return new CommandFailure(1, 'interrupted before anything was done');
}
