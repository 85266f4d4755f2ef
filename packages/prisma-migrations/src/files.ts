import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

/** Where the migrations are, as Prisma lays them out: `<name>/migration.sql`. */
export const migrationsFolder = new URL('../../../prisma/migrations/', import.meta.url);

export interface Migration {
  /** The name of its folder, which begins with the time it was written. */
  readonly name: string;
  readonly script: string;
  /** What Prisma keeps in `_prisma_migrations`: the SHA-256 of the script, in hex. */
  readonly checksum: string;
}

/** All migrations of this version of the service, oldest first. */
export async function readMigrations(): Promise<Migration[]> {
  const entries = await readdir(migrationsFolder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(names.toSorted().map(readMigration));
}

async function readMigration(name: string): Promise<Migration> {
  const script = await readFile(new URL(`${name}/migration.sql`, migrationsFolder), 'utf8');
  return { name, script, checksum: createHash('sha256').update(script).digest('hex') };
}
