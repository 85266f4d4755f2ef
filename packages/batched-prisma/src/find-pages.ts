import type { CreateBatcher } from './batcher.ts';
import type { Column, Model, Order, Row } from './model.ts';
import { rowDecoder, rowsAsLists } from './rows.ts';
import { columnOf, firstId, quoted } from './sql.ts';
import type { RunStatement, Statement } from './statement.ts';

export interface Page {
  /** The index of the column that is filtered by, and its value; undefined for all rows. */
  readonly filter: readonly [index: number, value: string] | undefined;
  readonly order: Order;
  /** Only rows behind this id. */
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

/** Pages of one order. */
export type FindPages = (pages: readonly Page[]) => Promise<readonly Row[][]>;

/** Pages of the rows in the order of their ids, or against it; the requests of a batch in one statement. */
export function createFindPages(
  model: Model,
  run: RunStatement,
  createBatcher: CreateBatcher,
): FindPages {
  const ascending = createFindPagesIn('asc', model, run, createBatcher);
  const descending = createFindPagesIn('desc', model, run, createBatcher);
  return (pages) => (pages[0]?.order === 'desc' ? descending : ascending)(pages);
}

function createFindPagesIn(
  order: Order,
  model: Model,
  run: RunStatement,
  createBatcher: CreateBatcher,
): FindPages {
  const first = firstId(model, order) ?? '';
  const filters = filterColumns(model);
  const statement = findPages(model, filters, order);
  const decode = rowDecoder(model);
  return createBatcher(async (requests) => {
    const pages = requests.flatMap(({ input }) => input);
    const rows = await run(statement, [
      pages.map(({ after }) => after ?? first),
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
function findPages(model: Model, filters: readonly Column[], order: Order): Statement {
  const isAscending = order === 'asc';
  const [upTo, from] = isAscending ? ['<=', '>='] : ['>=', '<='];
  const direction = isAscending ? '' : ' DESC';
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
        where: `${by} ${upTo} ${value} AND (${by}, ${id}) ${from} (${value}, page.first)`,
        sorting: `${by}${direction}, ${id}${direction}`,
      };
    }),
    {
      when: names.map((name) => `page.${name} IS NULL`).join(' AND ') || 'true',
      where: `${id} ${from} page.first`,
      sorting: `${id}${direction}`,
    },
  ].map(
    ({ when, where, sorting }) => `
        (SELECT ${columns} FROM ${quoted(model.table)}
         WHERE ${when} AND ${where} AND ${id} IS DISTINCT FROM page.after
         ORDER BY ${sorting} LIMIT page."limit")`,
  );
  const types = filters.map((filter, index) => `, $${index + 4}::${filter.pgType}[]`).join('');
  return {
    name: `${model.name}.findPages${isAscending ? '' : 'Descending'}`,
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
