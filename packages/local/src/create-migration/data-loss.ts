import { escapeIdentifier } from 'pg';
import { CommandFailure } from '@store-gateway/ops/command-line';

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
