import { GATEWAY_TABLES, tableFault, withoutPrefix } from '@store-gateway/ops';
import { type Command, CommandFailure } from '@store-gateway/ops/command-line';
import { access, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { escapeIdentifier } from 'pg';
import { joinEmbeddedPostgres } from '../embedded/join.ts';
import { readMigrations } from '../migrations/history.ts';
import { openSession } from '../migrations/session.ts';
import { migrationsInput, openSchemaEngine } from './schema-engine.ts';

/**
 * Returns the SQL statement for a rename: `old:new` for a table, `table.old:new` for a column, with the database's names.
 *
 * @throws CommandFailure if it is neither
 */
export function renameStatement(rename: string): string {
  const { table, from, to } =
    /^(?:(?<table>[^.:]+)\.)?(?<from>[^.:]+):(?<to>[^.:]+)$/.exec(rename)?.groups ?? {};
  if (from === undefined || to === undefined) {
    throw new CommandFailure(2, `--rename must be TABLE.OLD:NEW or OLD:NEW, not ${rename}`);
  }
  const [old, renamed] = [escapeIdentifier(from), escapeIdentifier(to)];
  return table === undefined
    ? `ALTER TABLE ${old} RENAME TO ${renamed};\n`
    : `ALTER TABLE ${escapeIdentifier(table)} RENAME COLUMN ${old} TO ${renamed};\n`;
}

const DROPPED_TABLE = /^DROP TABLE "([^"]+)";/gm;
const NEW_TABLE = /^CREATE TABLE "([^"]+)" \(/gm;
const ALTERATION = /^ALTER TABLE "([^"]+)" (.*?);$/gms;
const DROPPED_COLUMN = /\bDROP COLUMN "([^"]+)"/g;
const NEW_COLUMN = /\bADD COLUMN +"([^"]+)"/g;

/** The tables and columns that a migration would drop, and the renames that may have been intended. */
interface DataLoss {
  /** Such as `the column age of pets`. */
  readonly losses: readonly string[];
  /** Such as `pets.age:years`. */
  readonly renames: readonly string[];
}

/** Finds the tables and columns that a script of Prisma's schema engine drops. */
export function dataLossOf(script: string): DataLoss {
  const tables = namesIn(script, DROPPED_TABLE);
  const ofColumns = Array.from(script.matchAll(ALTERATION), ([, table = '', changes = '']) => {
    const columns = namesIn(changes, DROPPED_COLUMN);
    return { table, columns, renames: pairs(columns, namesIn(changes, NEW_COLUMN)) };
  });
  return {
    losses: [
      ...tables.map((table) => `the table ${table}`),
      ...ofColumns.flatMap(({ table, columns }) =>
        columns.map((column) => `the column ${column} of ${table}`),
      ),
    ],
    renames: [
      ...pairs(tables, namesIn(script, NEW_TABLE)),
      ...ofColumns.flatMap(({ table, renames }) => renames.map((rename) => `${table}.${rename}`)),
    ],
  };
}

/** Pairs each dropped name with each added name, except names in both lists, because such columns only change their type. */
function pairs(old: readonly string[], added: readonly string[]): string[] {
  return old
    .filter((name) => !added.includes(name))
    .flatMap((from) => added.filter((to) => !old.includes(to)).map((to) => `${from}:${to}`));
}

function namesIn(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, name = '']) => name);
}

const HELP = `Writes a migration with the changes that prisma/migrations lacks compared with prisma/schema.prisma.

  create-migration NAME
  create-migration NAME --folder FOLDER               uses a folder other than prisma
  create-migration NAME --rename pets.name:title      keeps the column's values under its new name
  create-migration NAME --rename pets:animals         keeps the table's rows under its new name

The file is prisma/migrations/<time>_NAME/migration.sql; NAME consists of a-z, 0-9 and _. This needs no
network and no database: it uses an embedded PostgreSQL in a temporary folder. It doesn't write a migration
that drops a table or a column, unless you accept the loss.

  --folder FOLDER      the folder of schema.prisma and migrations; by default prisma
  --rename OLD:NEW     renames a table, or a column with TABLE.OLD:NEW; uses the database's names; may be repeated
  --accept-data-loss   writes a migration that drops tables or columns

Exit codes: 0 done, 1 failed, 2 usage error.
`;

const CLUSTER = { user: 'create_migration', application: 'create-migration' };

async function driftFromScratch(of: URL, renames: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'create-migration-'));
  try {
    // If this process is root, PostgreSQL runs as another user, who must be able to enter this folder.
    await chmod(folder, 0o755);
    const postgres = await joinEmbeddedPostgres(join(folder, 'data'), CLUSTER);
    try {
      return await describeDrift(postgres.url, of, renames);
    } finally {
      await postgres.leave();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Writes a migration into the folder of a schema, unless its script is empty.
 *
 * @returns what to print
 */
export async function writeMigration(name: string, script: string, folder: URL): Promise<string> {
  if (script === '')
    return `Nothing to migrate: the migrations match ${shown(folder)}schema.prisma.\n`;
  const time = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const file = new URL(`migrations/${time}_${name}/migration.sql`, folder);
  await mkdir(new URL('.', file));
  await writeFile(file, withExtension(script));
  return `Wrote ${shown(file)}. Read it before you commit it.\n`;
}

/** Adds the extension that an index needs, because Prisma's engine writes only the index. */
function withExtension(script: string): string {
  const extension = 'CREATE EXTENSION IF NOT EXISTS pg_trgm';
  return script.includes('gin_trgm_ops') && !script.includes(extension)
    ? `-- For gin_trgm_ops\n${extension};\n\n${script}`
    : script;
}

/** Returns a path relative to the working directory, for messages. */
function shown(file: URL): string {
  const path = relative(process.cwd(), fileURLToPath(file));
  return file.href.endsWith('/') ? `${path}/` : path;
}

/** Checks the schema, and creates the migrations folder and its lock file if they are missing. */
async function prepareMigrations(folder: URL): Promise<void> {
  const schema = await readFile(new URL('schema.prisma', folder), 'utf8').catch(() => {
    throw new CommandFailure(1, `there is no ${shown(folder)}schema.prisma`);
  });
  const migrations = new URL('migrations/', folder);
  await mkdir(migrations, { recursive: true });
  rejectGatewayTables(schema, !createsGatewayTables(await readMigrations(migrations)));
  const lock = new URL('migration_lock.toml', migrations);
  await access(lock).catch(() => writeFile(lock, 'provider = "postgresql"\n'));
}

/** @throws CommandFailure that lists what a migration would drop */
function rejectDataLoss(script: string): void {
  const { losses, renames } = dataLossOf(script);
  if (losses.length > 0) {
    const rename =
      renames.length === 0 ? '' : `--rename ${renames.join(' or ')} to keep its data, or `;
    throw new CommandFailure(
      1,
      `the migration would drop ${losses.join(' and ')}: use ${rename}--accept-data-loss`,
    );
  }
}

/** The command that writes a migration into a Prisma folder. */
export const createMigration: Command<{
  folder: { type: 'string' };
  rename: { type: 'string'; multiple: true };
  'accept-data-loss': { type: 'boolean' };
}> = {
  name: 'create-migration',
  help: HELP,
  options: {
    folder: { type: 'string' },
    rename: { type: 'string', multiple: true },
    'accept-data-loss': { type: 'boolean' },
  },
  read: ({ positionals: [name = '', ...rest], values }) => {
    if (rest.length > 0 || !/^[a-z0-9_]+$/.test(name)) {
      throw new CommandFailure(2, 'NAME must be one word of a-z, 0-9 and _; see --help');
    }
    const folder = pathToFileURL(`${resolve(values.folder ?? 'prisma')}/`);
    const renames = (values.rename ?? []).map(renameStatement);
    return async () => {
      await prepareMigrations(folder);
      const script = await driftFromScratch(folder, renames);
      if (values['accept-data-loss'] !== true) rejectDataLoss(script);
      return writeMigration(name, script, folder);
    };
  },
};

const MODEL = /^[ \t]*model[ \t]+(\w+)[ \t]*\{(.*?)^[ \t]*\}/gms;
const MAPPED_NAME = /@@map\(\s*(?:name\s*:\s*)?"([^"]*)"/;
const COMMENT = /^[ \t]*\/\/.*$/gm;
/** The table of API keys, as stores' own migrations created it in earlier versions. */
const EARLIER_TABLE = /^CREATE TABLE "api_keys" \([^;]*"hash" BYTEA NOT NULL/m;

/** Whether a store's own migrations created the gateway's tables, as in earlier versions, when the tables had no prefix. */
function createsGatewayTables(migrations: readonly { readonly script: string }[]): boolean {
  return migrations.some(({ script }) => EARLIER_TABLE.test(script));
}

/**
 * Rejects a Prisma schema in which a model uses one of the gateway's tables.
 *
 * @param isPrefixed whether the gateway's tables have their prefix in all databases of the store
 * @throws CommandFailure that names the model
 */
function rejectGatewayTables(schema: string, isPrefixed: boolean): void {
  for (const [, model = '', body = ''] of schema.replaceAll(COMMENT, '').matchAll(MODEL)) {
    // A model with `@@schema` is outside the store's schema.
    const fault = body.includes('@@schema(')
      ? undefined
      : tableFault(model, MAPPED_NAME.exec(body)?.[1] ?? model, isPrefixed);
    if (fault !== undefined) {
      throw new CommandFailure(1, fault);
    }
  }
}

/**
 * Matches the foreign key of a relation that may refer to missing rows. A Prisma schema can only mark such a relation by the name
 * of its constraint: `@relation(…, map: "unenforced_…")`.
 */
const UNENFORCED_FOREIGN_KEY =
  /\n?-- AddForeignKey\nALTER TABLE [^;]* ADD CONSTRAINT "unenforced_[^;]*;\n/g;

/**
 * Returns the SQL that migrates from a folder's migrations to its schema.prisma, or '' if they match. To compare them, it runs
 * the migrations in the database of `scratchUrl`, which must be empty and can't be used afterwards.
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
  const gatewayTables = createsGatewayTables(written) ? GATEWAY_TABLES.map(withoutPrefix) : [];
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
      // Without this, the result for no difference would be a script with one comment.
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

/** Matches the schema engine's report of an error in the schema, with its line. */
const INVALID = /error: (?<message>.+?)\.?\n\s*--> +schema\.prisma:(?<line>\d+)/;
const FAILED = /^Migration `(?<name>[^`]+)` failed/;

/** Converts an error from the schema engine to one sentence; returns other errors unchanged. */
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
