import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { applyMigrations } from '@store-gateway/local/migrations';
import { database, FOLDER, NAMES } from './migrating.ts';
import { MIGRATIONS } from './store-database.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** The migration by which a new store of animals leaves the gateway's tables to the gateway. */
export const LEAVING = NAMES.find((name) => name.endsWith('_tables_of_the_gateway')) ?? '';

/** A database of animals as an earlier version made it, by the migrations of its store, with a key. */
export async function earlierDatabase() {
  await using folder = await temporaryDirectory();
  await cp(FOLDER, folder.path, { recursive: true });
  await Promise.all(
    NAMES.filter((name) => name >= LEAVING).map((name) =>
      rm(join(folder.path, name), { recursive: true }),
    ),
  );
  const ofStore = { folder: pathToFileURL(`${folder.path}/`), table: '_prisma_migrations' };
  const made = await database();
  await applyMigrations(made.url, { ...MIGRATIONS, sources: [ofStore] });
  await made.client.query(`INSERT INTO api_keys (name, hash) VALUES ('kept', '')`);
  return made;
}
