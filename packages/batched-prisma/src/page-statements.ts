import type { Column, Model, Order } from './model.ts';
import { rowsAsLists } from './rows.ts';
import { columnOf, quoted } from './sql.ts';
import type { Statement } from './statement.ts';

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

/** A page's bounds, as expressions. */
interface Bounds {
  readonly first: string;
  readonly after: string;
  readonly limit: string;
}

/** Finds the pages of lists of their bounds. Of the parts of the union only one is ever executed for a page. */
export function findPages(model: Model, filters: readonly Column[], order: Order): Statement {
  const { pgType } = columnOf(model, model.id);
  const names = filters.map((_column, index) => `filter_${index}`);
  const bounds = { first: 'page.first', after: 'page.after', limit: 'page."limit"' };
  const isUnfiltered = names.map((name) => `page.${name} IS NULL`).join(' AND ') || 'true';
  const parts = [
    ...filters.map((filter, index) => {
      const value = `page.filter_${index}`;
      return rowsOf(model, order, bounds, [filter, value], `${value} IS NOT NULL`);
    }),
    rowsOf(model, order, bounds, undefined, isUnfiltered),
  ].map((part) => `(${part})`);
  const types = filters.map((filter, index) => `, $${index + 4}::${filter.pgType}[]`).join('');
  return {
    name: nameOf(model, order),
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

/** Finds a single page, which takes the database less. */
export function findPage(model: Model, filter: Column | undefined, order: Order): Statement {
  const { pgType } = columnOf(model, model.id);
  const bounds = { first: `$1::${pgType}`, after: `$2::${pgType}`, limit: '$3::int' };
  const by = filter && ([filter, `$4::${filter.pgType}`] as const);
  const name = nameOf(model, order);
  return {
    name,
    preparedAs: `${name}:${filter === undefined ? 'one' : model.columns.indexOf(filter)}`,
    text: `
    SELECT '1', ${rowsAsLists(model, 'listed')}
    FROM (${rowsOf(model, order, bounds, by, 'true')}
    ) AS listed`,
  };
}

/**
 * Reads a page off one index. A filter is no plain equality, because PostgreSQL would take it for as good a plan to walk
 * all rows by their ids and leave out the others: only the index on the column and the id has this order. For the same
 * reason the row that a page begins after is left out by itself.
 */
function rowsOf(
  model: Model,
  order: Order,
  { first, after, limit }: Bounds,
  filter: readonly [column: Column, value: string] | undefined,
  when: string,
): string {
  const isAscending = order === 'asc';
  const [upTo, from] = isAscending ? ['<=', '>='] : ['>=', '<='];
  const direction = isAscending ? '' : ' DESC';
  const id = quoted(columnOf(model, model.id).column);
  const columns = model.columns.map((each) => quoted(each.column)).join(', ');
  const [column, value = ''] = filter ?? [];
  const by = column && quoted(column.column);
  const where = by
    ? `${by} ${upTo} ${value} AND (${by}, ${id}) ${from} (${value}, ${first})`
    : `${id} ${from} ${first}`;
  const sorting = by ? `${by}${direction}, ${id}${direction}` : `${id}${direction}`;
  return `
        SELECT ${columns} FROM ${quoted(model.table)}
        WHERE ${when} AND ${where} AND ${id} IS DISTINCT FROM ${after}
        ORDER BY ${sorting} LIMIT ${limit}`;
}

function nameOf({ name }: Model, order: Order): string {
  return `${name}.findPages${order === 'asc' ? '' : 'Descending'}`;
}
