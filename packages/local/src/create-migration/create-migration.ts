import { escapeIdentifier } from 'pg';
import { CommandFailure, type Command } from '@store-gateway/ops/command-line';
import { access, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { joinEmbeddedPostgres } from '../embedded/join.ts';
import { readMigrations } from '../migrations/history.ts';
import { describeDrift, madeGatewayTables, refuseGatewayTables } from './describe-drift.ts';

/**
 * The statement of a rename: `old:new` of a table, `table.old:new` of a column, all as the database names them.
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

/** What a migration would drop, and the renames that may be meant instead. */
interface DataLoss {
  /** As `the column age of pets`. */
  readonly losses: readonly string[];
  /** As `pets.age:years`. */
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

/** Each name that goes with each that comes, without those that come again with another type. */
function pairs(old: readonly string[], added: readonly string[]): string[] {
  return old
    .filter((name) => !added.includes(name))
    .flatMap((from) => added.filter((to) => !old.includes(to)).map((to) => `${from}:${to}`));
}

function namesIn(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, name = '']) => name);
}

const HELP = `Writes the migration from prisma/migrations to prisma/schema.prisma.

  create-migration NAME
  create-migration NAME --folder FOLDER               uses another folder than prisma
  create-migration NAME --rename pets.name:title      keeps the column's values under its new name
  create-migration NAME --rename pets:animals         keeps the table's rows under its new name

The file is prisma/migrations/<time>_NAME/migration.sql; NAME consists of a-z, 0-9 and _. This needs no
network and no database: it uses an embedded PostgreSQL in a temporary folder. It doesn't write a migration
that drops a table or a column, unless you accept the loss.

  --folder FOLDER      the folder of schema.prisma and migrations; by default prisma
  --rename OLD:NEW     renames a table, or with TABLE.OLD:NEW a column: names in the database; may be repeated
  --accept-data-loss   writes a migration that drops tables or columns

Exit codes: 0 done, 1 failed, 2 usage error.
`;

const CLUSTER = { user: 'create_migration', application: 'create-migration' };

async function driftFromScratch(of: URL, renames: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'create-migration-'));
  try {
    // As root, PostgreSQL runs as another user, who must be able to enter.
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
  if (script === '') return `No change: the migrations agree with ${shown(folder)}schema.prisma.\n`;
  const time = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const file = new URL(`migrations/${time}_${name}/migration.sql`, folder);
  await mkdir(new URL('.', file));
  await writeFile(file, withExtension(script));
  return `Wrote ${shown(file)}. Read it before you commit it.\n`;
}

/** Prisma's engine writes indexes of an extension, and not the extension itself. */
function withExtension(script: string): string {
  const extension = 'CREATE EXTENSION IF NOT EXISTS pg_trgm';
  return script.includes('gin_trgm_ops') && !script.includes(extension)
    ? `-- For gin_trgm_ops\n${extension};\n\n${script}`
    : script;
}

/** A path as the user sees it. */
function shown(file: URL): string {
  const path = relative(process.cwd(), fileURLToPath(file));
  return file.href.endsWith('/') ? `${path}/` : path;
}

/** Makes the folder of a store's first migration. */
async function prepareMigrations(folder: URL): Promise<void> {
  const schema = await readFile(new URL('schema.prisma', folder), 'utf8').catch(() => {
    throw new CommandFailure(1, `there is no ${shown(folder)}schema.prisma`);
  });
  const migrations = new URL('migrations/', folder);
  await mkdir(migrations, { recursive: true });
  refuseGatewayTables(schema, !madeGatewayTables(await readMigrations(migrations)));
  const lock = new URL('migration_lock.toml', migrations);
  await access(lock).catch(() => writeFile(lock, 'provider = "postgresql"\n'));
}

/** @throws CommandFailure that lists what a migration would drop */
function refuseDataLoss(script: string): void {
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

/** Writes a migration into a folder of Prisma's. */
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
      if (values['accept-data-loss'] !== true) refuseDataLoss(script);
      return writeMigration(name, script, folder);
    };
  },
};
