import type { Client } from 'pg';
import { StartupFailure } from '@store-gateway/ops';
import { addressOf } from '@store-gateway/postgres';
import { takeMigrationLock } from '../lock.ts';
import { databaseReason } from '../refusals.ts';
import { openSession, type SessionOptions } from '../session.ts';
import { faultOfNodes } from './nodes.ts';
import { includeInKey, restoreKey } from './primary-key.ts';
import { stateOf, type TableToDistribute } from './table.ts';

/** What is distributed. */
interface DistributionOptions extends SessionOptions {
  /** First those that others refer to. */
  readonly targets: readonly TableToDistribute[];
  /** Called with the name of each, as it is begun with. */
  readonly onBegun: (name: string) => void;
}

/**
 * Distributes tables over the nodes of Citus, while they are read and written. What can't be done is refused before anything is.
 *
 * @param url of the coordinator itself
 * @returns how many were distributed now
 * @throws StartupFailure that says why not, or what interrupted it; then the same call goes on
 */
export async function distributeTables(url: string, options: DistributionOptions): Promise<number> {
  const { stopped, targets, onBegun } = options;
  const refuse = (reason: string, cause?: unknown): never => {
    throw new StartupFailure(`The database at ${addressOf(url)} can't be distributed: ${reason}.`, {
      cause,
    });
  };
  const session = await openSession(url, options);
  const cut = () => session.connection.stream.destroy();
  try {
    if (session.pooler !== undefined) refuse('it is a pooler; set DATABASE_DIRECT_URL');
    if (!session.isSharded) refuse('it has no Citus with nodes; set that up first');
    await takeMigrationLock(session, stopped);
    // Statements that are given up end then, too.
    await session.query(`SET client_connection_check_interval = '1s'; SET statement_timeout = 0`);
    stopped?.addEventListener('abort', cut);
    const fault = await faultOfNodes(session);
    if (fault !== undefined) refuse(fault);
    const references = targets.filter(({ by }) => by === undefined).map(({ table }) => table);
    const left = new Map<TableToDistribute, string>();
    for (const target of targets) {
      const state = await stateOf(session, target, references);
      if (typeof state === 'object') refuse(state.fault);
      else if (state !== 'done') left.set(target, state);
    }
    for (const [target, state] of left) {
      onBegun(target.name);
      await distribute(session, target, state === 'lacks its key');
    }
    return left.size;
  } catch (error) {
    if (error instanceof StartupFailure) throw error;
    return refuse(stopped?.aborted === true ? 'interrupted' : databaseReason(error), error);
  } finally {
    stopped?.removeEventListener('abort', cut);
    await session.end();
  }
}

async function distribute(
  session: Client,
  target: TableToDistribute,
  changesKey: boolean,
): Promise<void> {
  const { table, by, beside } = target;
  if (by === undefined) {
    await session.query('SELECT create_reference_table(quote_ident($1))', [table]);
    return;
  }
  try {
    if (changesKey) await includeInKey(session, target, by);
    const { rows } = await session.query<{ group: string }>(
      `SELECT coalesce(
         (SELECT logicalrelid::text FROM pg_dist_partition
          WHERE logicalrelid = to_regclass(quote_ident($1)) AND partmethod = 'h'), 'default') AS "group"`,
      [beside ?? null],
    );
    await session.query(
      'SELECT create_distributed_table_concurrently(quote_ident($1), $2, colocate_with => $3)',
      [table, by, rows[0]?.group],
    );
  } catch (error) {
    if (changesKey) await restoreKey(session, target);
    throw error;
  }
}
