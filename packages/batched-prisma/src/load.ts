import type { Page } from './find-pages.ts';
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
    relations.map((loaded) => {
      const { pageOfKey, relation, table } = loaded;
      return pageOfKey === undefined
        ? loadOnes(
            rows.map((row) => table.encodeId(row[relation.foreignKey]) ?? null),
            loaded,
          )
        : loadLists(
            rows.map((row) => pageOfKey(encodeId(row[model.id]) ?? '')),
            loaded,
          );
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
  pages: readonly Page[],
  { table, projection }: LoadedRelation,
): Promise<(readonly Row[])[]> {
  const lists = await table.findPages(pages);
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
