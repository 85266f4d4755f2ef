import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

/** A migration, as it was read from its file. */
export interface Migration {
  /** The name of its folder, which begins with the time it was written. */
  readonly name: string;
  readonly script: string;
  /** What Prisma keeps in `_prisma_migrations`: the SHA-256 of the script, in hex, with the earlier names if there are any. */
  readonly checksum: string;
}

/**
 * All migrations of a folder, oldest first.
 *
 * @param folder as Prisma lays it out, `<name>/migration.sql`; ends with a slash
 * @param asRecorded the script that checksums are of
 */
export async function readMigrations(
  folder: URL,
  asRecorded = (script: string) => script,
): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Promise.all(
    names.toSorted().map(async (name) => {
      const script = await readFile(new URL(`${name}/migration.sql`, folder), 'utf8');
      const checksum = createHash('sha256').update(asRecorded(script)).digest('hex');
      return { name, script, checksum };
    }),
  );
}
