import { createHealth, type Health } from '@store-gateway/http';
import { isUndefinedTableOrColumn, isOfStandby, isRefusalOfWrite } from '@store-gateway/postgres';
import type { GatewayDatabase } from '../database/client.ts';

const INCOMPLETE = new Error('some workers are still starting');

/**
 * Ready while the database answers, has the tables and columns, and takes writes. Migrations are checked at start only.
 *
 * @param complete resolves when all workers serve
 */
export function createDatabaseHealth(
  database: Pick<GatewayDatabase, '$ping'>,
  complete: Promise<void> = Promise.resolve(),
): Health {
  let isComplete = false;
  void complete.then(() => (isComplete = true));
  return createHealth(async () => {
    if (!isComplete) {
      throw INCOMPLETE;
    }
    await database.$ping();
  }, reasonOf);
}

function reasonOf(error: unknown): string {
  if (error === INCOMPLETE) return INCOMPLETE.message;
  if (isOfStandby(error)) return 'the database is a standby';
  if (isUndefinedTableOrColumn(error)) return 'the database lacks a table or a column';
  return isRefusalOfWrite(error) ? 'the database rejects writes' : 'the database cannot be used';
}
