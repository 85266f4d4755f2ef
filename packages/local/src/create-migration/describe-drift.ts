import { tableFault, GATEWAY_TABLES, withoutPrefix } from '@store-gateway/ops';
import { CommandFailure } from '@store-gateway/ops/command-line';
import { readFile } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import { readMigrations } from '../migrations/history.ts';
import { openSession } from '../migrations/session.ts';
import { migrationsInput, openSchemaEngine } from './schema-engine/schema-engine.ts';

const MODEL = /^[ \t]*model[ \t]+(\w+)[ \t]*\{(.*?)^[ \t]*\}/gms;
const MAPPED_NAME = /@@map\(\s*(?:name\s*:\s*)?"([^"]*)"/;
const COMMENT = /^[ \t]*\/\/.*$/gm;
/** The table of API keys, as a store's own migrations created it in earlier versions. */
const EARLIER_TABLE = /^CREATE TABLE "api_keys" \([^;]*"hash" BYTEA NOT NULL/m;

/** Whether the migrations of a store made the gateway's tables, which had no prefix then. */
export function madeGatewayTables(migrations: readonly { readonly script: string }[]): boolean {
  return migrations.some(({ script }) => EARLIER_TABLE.test(script));
}

/**
 * Rejects a Prisma schema in which a model has a table of the gateway's.
 *
 * @param isPrefixed whether the gateway's tables have their prefix in all databases of the store
 * @throws CommandFailure that names the model
 */
export function refuseGatewayTables(schema: string, isPrefixed: boolean): void {
  for (const [, model = '', body = ''] of schema.replaceAll(COMMENT, '').matchAll(MODEL)) {
    // A model that names a schema is not in the store's.
    const fault = body.includes('@@schema(')
      ? undefined
      : tableFault(model, MAPPED_NAME.exec(body)?.[1] ?? model, isPrefixed);
    if (fault !== undefined) {
      throw new CommandFailure(1, fault);
    }
  }
}

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
 * @param renames statements that the script begins with
 * @throws CommandFailure if the schema or a rename isn't valid
 */
export async function describeDrift(
  scratchUrl: string,
  folder: URL,
  renames: readonly string[] = [],
): Promise<string> {
  const migrations = new URL('migrations/', folder);
  const written = await readMigrations(migrations);
  const renaming = renames.map((script, index) => ({ name: renameName(index), script }));
  const { migrationsList } = await migrationsInput(migrations, [...written, ...renaming]);
  const gatewayTables = madeGatewayTables(written) ? GATEWAY_TABLES.map(withoutPrefix) : [];
  const externalTables = gatewayTables.map((table) => `public.${table}`);
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
    const difference = engine.diff({
      from: { tag: 'migrations', ...migrationsList },
      to: { tag: 'schemaDatamodel', files: [schema] },
      script: true,
      // Without this the result for "no difference" is a script too, of one comment.
      exitCode: true,
      filters: { externalTables, externalEnums: [] },
    });
    const { exitCode, stdout } = await difference.catch((error: unknown) => {
      throw diffFailure(error, renames);
    });
    const script = exitCode === 0 ? '' : (stdout ?? '').replaceAll(UNENFORCED_FOREIGN_KEY, '');
    return renames.join('') + (renames.length > 0 && script !== '' ? `\n${script}` : script);
  } finally {
    await session.end();
  }
}

/** The schema engine's report of an error in the schema, with its line. */
const INVALID = /error: (?<message>.+?)\.?\n\s*--> +schema\.prisma:(?<line>\d+)/;
const FAILED = /^Migration `(?<name>[^`]+)` failed/;

/** One sentence on an error of the schema engine's; any other error as it is. */
function diffFailure(error: unknown, renames: readonly string[]): unknown {
  const text = stripVTControlCharacters(error instanceof Error ? error.message : String(error));
  const { message, line } = INVALID.exec(text)?.groups ?? {};
  if (message !== undefined) {
    return new CommandFailure(1, `schema.prisma, line ${line}: ${message}`);
  }
  const { name } = FAILED.exec(text)?.groups ?? {};
  if (name === undefined) {
    return error;
  }
  const rename = renames.find((_each, index) => name === renameName(index))?.trim();
  return new CommandFailure(
    1,
    rename === undefined
      ? `the migration ${name} fails on a new database`
      : `the migrations create no such table or column: ${rename}`,
  );
}

function renameName(index: number): string {
  return `rename_${index}`;
}
