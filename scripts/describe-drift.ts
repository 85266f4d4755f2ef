import { readFile } from 'node:fs/promises';
import { readMigrations } from '@gateway/prisma-migrations/files';
import { migrationsInput, openSchemaEngine } from '@gateway/prisma-migrations/schema-engine';
import { openSession } from '@gateway/prisma-migrations/session';
import { migrationsOf } from '../packages/gateway/src/database/migrations.ts';
import { gateway } from '../src/gateway.ts';

const MIGRATIONS = migrationsOf(gateway);

/**
 * The foreign key of a relation whose ids may be those of rows that aren't there. Prisma has no other word for it than the
 * name of the constraint: `@relation(…, map: "unenforced_…")`.
 */
const UNENFORCED_FOREIGN_KEY =
  /\n?-- AddForeignKey\nALTER TABLE [^;]* ADD CONSTRAINT "unenforced_[^;]*;\n/g;

const schemaFile = new URL('../prisma/schema.prisma', import.meta.url);

/**
 * The SQL that leads from the migrations to prisma/schema.prisma, '' when they agree. The migrations
 * are run in the database of `scratchUrl` to find out: it must be empty, and is of no use afterwards.
 */
export async function describeDrift(scratchUrl: string): Promise<string> {
  const { migrationsList, filters } = await migrationsInput(
    MIGRATIONS.folder,
    await readMigrations(MIGRATIONS.folder),
  );
  const schema = { path: 'schema.prisma', content: await readFile(schemaFile, 'utf8') };
  const session = await openSession(scratchUrl, MIGRATIONS);
  try {
    using engine = await openSchemaEngine(session);
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'migrations', ...migrationsList },
      to: { tag: 'schemaDatamodel', files: [schema] },
      script: true,
      // Without this the result for "no difference" is a script too, of one comment.
      exitCode: true,
      filters,
    });
    return exitCode === 0 ? '' : (stdout ?? '').replaceAll(UNENFORCED_FOREIGN_KEY, '');
  } finally {
    await session.end();
  }
}
