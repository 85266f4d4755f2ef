import { type Client, escapeIdentifier } from 'pg';
import type { TableToDistribute } from './table.ts';

/** Has the column in the primary key, as Citus wants it; rows are found by their ids alone by an index of its own. */
export async function includeInKey(session: Client, target: TableToDistribute, by: string) {
  const { table, id } = target;
  const index = indexOfId(target);
  await session.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
  await session.query(
    `CREATE INDEX CONCURRENTLY ${index} ON ${escapeIdentifier(table)} (${escapeIdentifier(id)})`,
  );
  await changeKey(session, table, [by, id]);
}

/** Undoes that, unless Citus has begun with the table: then the next attempt needs it. */
export async function restoreKey(session: Client, target: TableToDistribute): Promise<void> {
  const { table, id } = target;
  const { rowCount } = await session.query(
    'SELECT FROM pg_dist_partition WHERE logicalrelid = quote_ident($1)::regclass',
    [table],
  );
  if (rowCount === 0) {
    await changeKey(session, table, [id]);
    await session.query(`DROP INDEX CONCURRENTLY IF EXISTS ${indexOfId(target)}`);
  }
}

function indexOfId({ table, id }: TableToDistribute): string {
  return escapeIdentifier(`${table}_${id}_idx`);
}

/** Blocks nothing but while the keys are exchanged, and gives that up rather than have everybody wait. */
async function changeKey(session: Client, table: string, columns: readonly string[]) {
  const { rows } = await session.query<{ name: string }>(
    `SELECT conname AS name FROM pg_constraint WHERE conrelid = quote_ident($1)::regclass AND contype = 'p'`,
    [table],
  );
  const name = rows[0]?.name ?? '';
  const [index, key, quoted] = [`${name}_new`, name, table].map(escapeIdentifier);
  const list = columns.map(escapeIdentifier).join(', ');
  await session.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
  await session.query(`CREATE UNIQUE INDEX CONCURRENTLY ${index} ON ${quoted} (${list})`);
  await session.query(
    `SET LOCAL lock_timeout = '1s';
     ALTER TABLE ${quoted} DROP CONSTRAINT ${key}, ADD CONSTRAINT ${key} PRIMARY KEY USING INDEX ${index}`,
  );
}
