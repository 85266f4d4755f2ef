import { createHealth, type Health } from '@gateway/http-server/health';
import { isOfStandby } from '@gateway/postgres/standby';
import { isRefusalOfWrite } from '@gateway/postgres/write-refusals';
import type { Database } from '../database/client.ts';

/** Ready while the database answers, has the tables and takes writes. Migrations are checked at start only. */
export function createDatabaseHealth(database: Pick<Database, '$ping'>): Health {
  return createHealth(() => database.$ping(), reasonOf);
}

function reasonOf(error: unknown): string {
  if (isOfStandby(error)) return 'the database is a standby';
  return isRefusalOfWrite(error) ? 'the database takes no writes' : 'the database cannot be used';
}
