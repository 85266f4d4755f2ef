import { readConfig } from '../config.ts';
import type { Database } from '../database/client.ts';
import { startDatabase } from '../database/start.ts';
import { log } from '../log.ts';

/** What a command does on a database; resolves to what it prints. */
export type Action = (database: Database) => Promise<string>;

/** Does something on the database that the service would use, be it running or not. */
export async function onDatabase(action: Action): Promise<string> {
  // oxlint-disable-next-line node/no-process-env -- an entry point hands the environment over
  const config = readConfig(process.env);
  // The answer alone goes to stdout, where the log would go too.
  log.level = 'silent';
  const { database, stop } = await startDatabase(config);
  try {
    return await action(database);
  } finally {
    await stop();
  }
}
