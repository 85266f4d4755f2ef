import { readFile } from 'node:fs/promises';
import { readMigrations } from '@store-gateway/prisma-migrations/files';
import { openSession } from '@store-gateway/prisma-migrations/session';
import { OWN_TABLES } from '@store-gateway/gateway/own-tables';
import { migrationsInput, openSchemaEngine } from './schema-engine/schema-engine.ts';

/** What migrations of this store have created before the gateway had migrations of its own. */
const NOT_OF_THE_STORE = [...OWN_TABLES, 'rate_limit_counts'];

/**
 * The foreign key of a relation whose ids may be those of rows that aren't there. Prisma has no other word for it than the
 * name of the constraint: `@relation(…, map: "unenforced_…")`.
 */
const UNENFORCED_FOREIGN_KEY =
  /\n?-- AddForeignKey\nALTER TABLE [^;]* ADD CONSTRAINT "unenforced_[^;]*;\n/g;

/**
 * The SQL that leads from the migrations of a folder to its schema.prisma, '' when they agree. The migrations
 * are run in the database of `scratchUrl` to find out: it must be empty, and is of no use afterwards.
 *
 * @param folder ends with a slash
 */
export async function describeDrift(scratchUrl: string, folder: URL): Promise<string> {
  const migrations = new URL('migrations/', folder);
  const { migrationsList } = await migrationsInput(migrations, await readMigrations(migrations));
  const externalTables = NOT_OF_THE_STORE.map((table) => `public.${table}`);
  const schema = {
    path: 'schema.prisma',
    content: await readFile(new URL('schema.prisma', folder), 'utf8'),
  };
  const session = await openSession(scratchUrl, {
    tables: [],
    applicationName: 'create-migration',
  });
  try {
    using engine = await openSchemaEngine(session);
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'migrations', ...migrationsList },
      to: { tag: 'schemaDatamodel', files: [schema] },
      script: true,
      // Without this the result for "no difference" is a script too, of one comment.
      exitCode: true,
      filters: { externalTables, externalEnums: [] },
    });
    return exitCode === 0 ? '' : (stdout ?? '').replaceAll(UNENFORCED_FOREIGN_KEY, '');
  } finally {
    await session.end();
  }
}
