import { LeftToEngine } from './lazy-result.ts';
import type { LoadedRelation, Projection } from './projection.ts';
import type { Row } from './model.ts';
import type { Table } from './table.ts';

/** Makes of whole rows what is asked for: a statement for each relation, whatever the number of rows. */
export async function project(
  rows: readonly Row[],
  { fields, relations }: Projection,
  { model, encodeId }: Table,
): Promise<readonly Row[]> {
  if (fields === undefined && relations.length === 0) {
    return rows;
  }
  const related = await Promise.all(
    relations.map(({ relation, ...loaded }) => {
      const key = relation.kind === 'one' ? relation.foreignKey : model.id;
      const encode = relation.kind === 'one' ? loaded.table.encodeId : encodeId;
      const keys = rows.map((row) => encode(row[key]) ?? null);
      return relation.kind === 'one'
        ? loadOnes(keys, { relation, ...loaded })
        : loadLists(keys, { relation, ...loaded });
    }),
  );
  return rows.map((row, index) => {
    const projected: Row =
      fields === undefined ? row : Object.fromEntries(fields.map((field) => [field, row[field]]));
    for (const [number, { relation }] of relations.entries()) {
      projected[relation.field] = related[number]?.[index];
    }
    return projected;
  });
}

async function loadOnes(
  keys: readonly (string | null)[],
  { table, projection }: LoadedRelation,
): Promise<(Row | null)[]> {
  const ids = [...new Set(keys)].filter((key) => key !== null);
  const found = ids.length === 0 ? [] : await table.findByIds(ids);
  const rows = await project(found.filter(isRow), projection, table);
  const present = ids.filter((_id, index) => isRow(found[index]));
  const byId = new Map(present.map((id, index) => [id, rows[index] ?? null]));
  return keys.map((key) => (key === null ? undefined : byId.get(key)) ?? null);
}

async function loadLists(
  keys: readonly (string | null)[],
  { relation, table, projection, page }: LoadedRelation,
): Promise<(readonly Row[])[]> {
  const [index] = table.filters.get(relation.foreignKey) ?? [];
  if (index === undefined || page === undefined || table.findPages === undefined) {
    throw new LeftToEngine();
  }
  const lists = await table.findPages(keys.map((key) => ({ ...page, filter: [index, key ?? ''] })));
  const rows = await project(lists.flat(), projection, table);
  let start = 0;
  return lists.map((list) => {
    start += list.length;
    return rows.slice(start - list.length, start);
  });
}

export function isRow(row: Row | null | undefined): row is Row {
  return row != null;
}
