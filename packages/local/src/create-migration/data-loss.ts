const TABLE = /^DROP TABLE "([^"]+)";/gm;
const NEW_TABLE = /^CREATE TABLE "([^"]+)" \(/gm;
const ALTERATION = /^ALTER TABLE "([^"]+)" (.*?);$/gms;
const COLUMN = /\bDROP COLUMN "([^"]+)"/g;
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
  const tables = namesIn(script, TABLE);
  const ofColumns = Array.from(script.matchAll(ALTERATION), ([, table = '', changes = '']) => {
    const columns = namesIn(changes, COLUMN);
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
