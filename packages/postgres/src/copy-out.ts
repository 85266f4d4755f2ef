import { type Client, escapeIdentifier, escapeLiteral } from 'pg';
import { to as copyTo } from 'pg-copy-streams';

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** Other tables that the table's foreign keys refer to. */
  readonly refersTo: readonly string[];
}

/** Selects the permanent tables with their columns, except generated ones. */
const TABLES = `
  SELECT relname AS name,
    ARRAY(SELECT attname::text FROM pg_attribute
      WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum) AS columns,
    ARRAY(SELECT r.relname::text FROM pg_constraint JOIN pg_class r ON r.oid = confrelid
      WHERE contype = 'f' AND conrelid = c.oid AND confrelid <> c.oid) AS "refersTo"
  FROM pg_class c
  WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relpersistence = 'p'
  ORDER BY relname`;

const SEQUENCES = `
  SELECT quote_ident(sequencename) AS name, last_value::text AS last FROM pg_sequences
  WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY sequencename`;

/**
 * Dumps a session's schema as a script for psql: the rows of all permanent tables, from one snapshot, and the sequences. The
 * script replaces the rows of a database that has the same tables.
 *
 * @throws Error if the tables' foreign keys form a cycle
 */
export async function* copyOut(session: Client): AsyncGenerator<string> {
  await session.query("SET client_encoding = 'UTF8'");
  await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
  const { rows: tables } = await session.query<Table>(TABLES);
  yield 'BEGIN;\n';
  if (tables.length > 0) {
    // The target contains rows that migrations inserted; the script inserts their current state.
    const names = tables.map(({ name }) => escapeIdentifier(name));
    yield `TRUNCATE ${names.join(', ')};\n`;
  }
  for (const { name, columns } of inOrder(tables)) {
    const names = columns.map((column) => escapeIdentifier(column)).join(', ');
    const copy = `COPY ${escapeIdentifier(name)} (${names})`;
    yield `${copy} FROM stdin;\n`;
    const copied: AsyncIterable<string> = session
      .query(copyTo(`${copy} TO STDOUT`))
      .setEncoding('utf8');
    yield* copied;
    yield '\\.\n';
  }
  // Read after the rows, so that no sequence lags behind the rows whose ids it generated.
  const { rows: sequences } = await session.query<{ name: string; last: string }>(SEQUENCES);
  for (const { name, last } of sequences) {
    yield `SELECT setval(${escapeLiteral(name)}, ${last});\n`;
  }
  yield 'COMMIT;\n';
  await session.query('COMMIT');
}

/** Sorts tables so that referenced ones come before those that refer to them. */
function inOrder(tables: readonly Table[]): Table[] {
  const ordered: Table[] = [];
  let waiting = [...tables];
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ name }) => name));
    const ready = waiting.filter(({ refersTo }) => !refersTo.some((name) => names.has(name)));
    if (ready.length === 0) {
      throw new Error(`the foreign keys of the tables ${[...names].join(', ')} form a cycle`);
    }
    ordered.push(...ready);
    waiting = waiting.filter((table) => !ready.includes(table));
  }
  return ordered;
}
