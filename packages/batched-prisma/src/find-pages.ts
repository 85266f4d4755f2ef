import type { CreateBatcher } from './batcher.ts';
import type { Column, Model, Row } from './model.ts';
import { rowDecoder, rowsAsLists } from './rows.ts';
import { columnOf, quoted, SMALLEST_IDS } from './sql.ts';
import type { RunStatement, Statement } from './statement.ts';

export interface Page {
  /** The index of the column that is filtered by, and its value; undefined for all rows. */
  readonly filter: readonly [index: number, value: string] | undefined;
  /** Only rows with greater ids. */
  readonly after: string | undefined;
  readonly limit: number;
}

/**
 * Columns with an index on them and the id, in which pages with one value of the column can be read off. A condition on
 * JSON is an object, and no value.
 */
export function filterColumns(model: Model): Column[] {
  const fields = model.indexes
    .filter((index) => index.length === 2 && index[1] === model.id)
    .map(([field]) => field ?? '');
  return [...new Set(fields)]
    .map((field) => columnOf(model, field))
    .filter(({ kind }) => kind !== 'Json');
}

export type FindPages = (pages: readonly Page[]) => Promise<readonly Row[][]>;

/** Pages of the rows in the order of their ids; the requests of a batch in one statement. */
export function createFindPages(
  model: Model,
  run: RunStatement,
  createBatcher: CreateBatcher,
): FindPages {
  const smallestId = SMALLEST_IDS[columnOf(model, model.id).pgType] ?? '';
  const filters = filterColumns(model);
  const statement = findPages(model, filters);
  const decode = rowDecoder(model);
  return createBatcher(async (requests) => {
    const pages = requests.flatMap(({ input }) => input);
    const rows = await run(statement, [
      pages.map(({ after }) => after ?? smallestId),
      pages.map(({ after }) => after ?? null),
      pages.map(({ limit }) => String(limit)),
      ...filters.map((_column, index) =>
        pages.map(({ filter }) => (filter?.[0] === index ? filter[1] : null)),
      ),
    ]);
    const found = pages.map((): Row[] => []);
    for (const [number, ...lists] of rows) {
      found[Number(number) - 1] = decode(lists);
    }
    let start = 0;
    for (const { input, resolve } of requests) {
      resolve(found.slice(start, start + input.length));
      start += input.length;
    }
  });
}

/**
 * Of the parts of the union only one is ever executed for a page, and reads it off one index. A filter is no plain
 * equality, because PostgreSQL would take it for as good a plan to walk all rows by their ids and leave out the others:
 * only the index on the column and the id has this order. For the same reason the row that a page begins after is left
 * out by itself.
 */
function findPages(model: Model, filters: readonly Column[]): Statement {
  const { column, pgType } = columnOf(model, model.id);
  const id = quoted(column);
  const columns = model.columns.map((each) => quoted(each.column)).join(', ');
  const names = filters.map((_column, index) => `filter_${index}`);
  const parts = [
    ...filters.map((filter, index) => {
      const by = quoted(filter.column);
      const value = `page.filter_${index}`;
      return {
        when: `${value} IS NOT NULL`,
        where: `${by} <= ${value} AND (${by}, ${id}) >= (${value}, page.first)`,
        order: `${by}, ${id}`,
      };
    }),
    {
      when: names.map((name) => `page.${name} IS NULL`).join(' AND ') || 'true',
      where: `${id} >= page.first`,
      order: id,
    },
  ].map(
    ({ when, where, order }) => `
        (SELECT ${columns} FROM ${quoted(model.table)}
         WHERE ${when} AND ${where} AND ${id} IS DISTINCT FROM page.after
         ORDER BY ${order} LIMIT page."limit")`,
  );
  const types = filters.map((filter, index) => `, $${index + 4}::${filter.pgType}[]`).join('');
  return {
    name: `${model.name}.findPages`,
    text: `
    SELECT found.*
    FROM unnest($1::${pgType}[], $2::${pgType}[], $3::int[]${types}) WITH ORDINALITY
      AS page (${['first', 'after', '"limit"', ...names, 'number'].join(', ')})
    CROSS JOIN LATERAL (
      SELECT page.number, ${rowsAsLists(model, 'listed')}
      FROM (${parts.join(' UNION ALL')}
      ) AS listed
    ) AS found`,
  };
}
