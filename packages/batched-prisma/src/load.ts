import type { Page } from './find-pages.ts';
import type { Projection } from './projection.ts';
import type { Row } from './model.ts';

/** Makes of whole rows what is asked for: a statement for each relation, whatever the number of rows. */
export async function project(
  rows: readonly Row[],
  { table: { model, encodeId }, fields, relations }: Projection,
): Promise<readonly Row[]> {
  if (fields === undefined && relations.length === 0) {
    return rows;
  }
  const related = await Promise.all(
    relations.map(({ relation, projection, pageOfKey }) =>
      pageOfKey === undefined
        ? loadOnes(
            rows.map((row) => projection.table.encodeId(row[relation.foreignKey]) ?? null),
            projection,
          )
        : loadLists(
            rows.map((row) => pageOfKey(encodeId(row[model.id]) ?? '')),
            projection,
          ),
    ),
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
  projection: Projection,
): Promise<(Row | null)[]> {
  const ids = [...new Set(keys)].filter((key) => key !== null);
  const found = ids.length === 0 ? [] : await projection.table.findByIds(ids);
  const rows = await project(
    found.filter((row) => row !== undefined),
    projection,
  );
  const present = ids.filter((_id, index) => found[index] !== undefined);
  const byId = new Map(present.map((id, index) => [id, rows[index]]));
  return keys.map((key) => (key === null ? undefined : byId.get(key)) ?? null);
}

async function loadLists(
  pages: readonly Page[],
  projection: Projection,
): Promise<(readonly Row[])[]> {
  const lists = await projection.table.findPages(pages);
  const rows = await project(lists.flat(), projection);
  let start = 0;
  return lists.map((list) => {
    start += list.length;
    return rows.slice(start - list.length, start);
  });
}
