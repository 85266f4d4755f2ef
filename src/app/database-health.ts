import { createHealth, type Health } from '@gateway/http-server/health';
import { isRefusalOfWrite } from '@gateway/postgres/write-refusals';
import type { Database } from '../database/client.ts';

/** Ready while the database answers, has the tables and takes writes. Migrations are checked at start only. */
export function createDatabaseHealth(database: Pick<Database, '$ping'>): Health {
  return createHealth(
    () => database.$ping(),
    (error) =>
      isRefusalOfWrite(error) ? 'the database takes no writes' : 'the database cannot be used',
  );
}
