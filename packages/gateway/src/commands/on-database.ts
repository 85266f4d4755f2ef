import type { PrismaClientLike, Gateway } from '../definition.ts';
import type { CommandIo } from '@store-gateway/ops/command-line';
import { withDatabase, type ActionIo, type OnDatabase } from './with-database.ts';

export { VARIABLE_NAMES } from '../config/config.ts';
export { EXIT_CODES, WHICH_STORE } from './with-database.ts';

/** What an action of a store's own has beside the database. */
interface StoreActionIo<Client = object> extends ActionIo {
  /**
   * The client without the audit log, for changes of audited rows that can't be noted one by one, such as a backfill.
   *
   * @param reason is noted in the audit log, before anything is done
   */
  readonly unauditedDatabase: (reason: string) => Promise<Client>;
}

/**
 * What a command does on the database: the store's Prisma client, which sees all rows, and notes changes of audited ones as
 * those of `command:` and the purpose.
 *
 * @returns resolves to what the command prints
 */
export type Action<Client = object> = (
  database: Client,
  io: StoreActionIo<Client>,
) => Promise<string>;

/**
 * Runs an action on the service's database, whether the service runs or not.
 *
 * @returns throws a CommandFailure if it was interrupted before the action began, or a StartupFailure
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
      const [{ noteUnaudited }, { audited, auditedTypes }, { expectAuditable }] = await Promise.all(
        [
          import('../database/audit-log.ts'),
          import('../database/audited.ts'),
          import('../database/expect-auditable.ts'),
        ],
      );
      const { models } = gateway.prisma;
      await expectAuditable(schema, models, database);
      const guarded = audited<Client>(database, models, auditedTypes(schema), caller);
      return action(guarded, {
        ...io,
        unauditedDatabase: async (reason) => {
          await noteUnaudited(database, caller, reason);
          return database;
        },
      });
    },
    options,
  );
}
