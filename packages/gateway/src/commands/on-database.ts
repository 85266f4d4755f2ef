import { setLogger } from '@store-gateway/ops';
import {
  CommandFailure,
  type CommandIo,
  type Output,
  parseDuration,
} from '@store-gateway/ops/command-line';
import type { Gateway, PrismaClientLike } from '../definition.ts';
import { MINIMUM_POOL_SIZE, readConfig } from '../config/config.ts';
import type { Database, GatewayDatabase } from '../database/client.ts';

/**
 * Reads a command's configuration, and returns it with the options for waiting for the database.
 *
 * @throws StartupFailure
 */
export async function prepare(
  { defaults }: Pick<Gateway, 'defaults'>,
  { env, stderr, catchSignals }: CommandIo,
  mayMakeStore: boolean,
) {
  const config = readConfig(env, defaults);
  // Nothing is logged, because stdout must contain only the command's output.
  setLogger(undefined);
  // Otherwise a signal would leave an embedded PostgreSQL running.
  const stopped = catchSignals();
  if (config.databaseUrl === undefined && !mayMakeStore) {
    const { expectEmbeddedPostgres } = await import('@store-gateway/local');
    await expectEmbeddedPostgres(config.dataDirectory);
  }
  const onSlowWait = (waitingFor: string) => {
    // Scripts may treat any output on stderr as a failure.
    if (stderr.isTTY === true) {
      stderr.write(`still waiting for ${waitingFor}\n`);
    }
  };
  return { config, waiting: { stopped, onSlowWait } };
}

/** A command's timeouts in milliseconds. They are longer than those of requests. */
const TIMEOUTS = { connection: 10_000, statement: 10_000 };

/** Names the store that a command uses, for help texts. */
export const WHICH_STORE = `Uses the store of npm start (DATABASE_URL, or embedded in DATA_DIR), whether or not the service is running.`;
/** The meanings of the exit codes, for help texts. */
export const EXIT_CODES = 'Exit codes: 0 done, 1 failed, 2 usage error.';

/** An action's arguments besides the database. */
interface ActionIo {
  readonly stderr: Output;
  readonly interrupted: AbortSignal;
}

/**
 * An action of one of the gateway's own commands, on the gateway's tables.
 *
 * @returns resolves to what the command prints
 */
export type GatewayAction = (database: GatewayDatabase, io: ActionIo) => Promise<string>;

/** The arguments of a store's own action besides the database. */
interface StoreActionIo<Client = object> extends ActionIo {
  /**
   * Returns a client whose changes aren't audited, for bulk changes such as a backfill.
   *
   * @param reason recorded in the audit log before the client is returned
   */
  readonly unauditedDatabase: (reason: string) => Promise<Client>;
}

/**
 * A command's action on the store's Prisma client, which sees all rows and audits changes under the caller `command:PURPOSE`.
 *
 * @returns resolves to what the command prints
 */
export type Action<Client = object> = (
  database: Client,
  io: StoreActionIo<Client>,
) => Promise<string>;

/** How a command uses the database. */
interface OnDatabase {
  /** The suffix of the connections' `application_name`, after the service's name. */
  readonly purpose: string;
  /**
   * Whether to create the embedded database if there is none. A command that only reads or removes fails instead, because
   * DATA_DIR must be wrong.
   */
  readonly mayMakeStore: boolean;
  /**
   * Whether to leave the database unmigrated, because an older version may still use it. By default, pending migrations are
   * applied.
   */
  readonly staysAsIs?: boolean;
}

/**
 * Creates a command's function, which runs an action on the service's database, whether or not the service is running.
 *
 * @throws CommandFailure if it is interrupted before the action begins, or StartupFailure
 */
export function onDatabase<Client extends PrismaClientLike>(
  gateway: Gateway<Client>,
  action: Action<Client>,
  options: OnDatabase,
): (io: CommandIo) => Promise<string> {
  const caller = `command:${options.purpose}`;
  return withDatabase(
    gateway,
    async (database, io) => {
      const { schema } = await gateway.load();
      const { audited, auditedTypes, expectAuditable, recordUnaudited } =
        await import('../database/audit.ts');
      const { models } = gateway.prisma;
      await expectAuditable(schema, models, database);
      const guarded = audited<Client>(database, models, auditedTypes(schema), caller);
      return action(guarded, {
        ...io,
        unauditedDatabase: async (reason) => {
          await recordUnaudited(database, caller, reason);
          return database;
        },
      });
    },
    options,
  );
}

/** Like `onDatabase`, but with access to the gateway's own tables, and without the audit log. */
export function withDatabase<Client extends PrismaClientLike>(
  gateway: Gateway<Client>,
  action: (database: Database<Client>, io: ActionIo) => Promise<string>,
  { purpose, mayMakeStore, staysAsIs = false }: OnDatabase,
): (io: CommandIo) => Promise<string> {
  return async (io) => {
    const { config, waiting } = await prepare(gateway, io, mayMakeStore);
    const interrupted = waiting.stopped;
    const expectNotInterrupted = (): void => {
      if (interrupted.aborted) {
        throw new CommandFailure(1, 'interrupted before anything was done');
      }
    };
    // Loaded late, because --help doesn't need it.
    const { startDatabase } = await import('../database/start.ts');
    const options = {
      ...waiting,
      timeouts: TIMEOUTS,
      poolSize: MINIMUM_POOL_SIZE,
      purpose,
      staysAsIs,
    };
    const { database, stop } = await startDatabase(gateway, config, options).catch(
      (error: unknown) => {
        expectNotInterrupted();
        throw error;
      },
    );
    try {
      expectNotInterrupted();
      return await action(database, { stderr: io.stderr, interrupted });
    } finally {
      await stop();
    }
  };
}

/** Reads an option as milliseconds. @throws CommandFailure (2) */
export function readDuration(option: string, text: string): number {
  const duration = parseDuration(text);
  if (duration === undefined) {
    const message = `${option} must be a number and a unit, such as 90d, not "${text}"`;
    throw new CommandFailure(2, message);
  }
  return duration;
}
