import type { Column, Model, Order } from './model.ts';
import { rowsAsLists } from './rows.ts';
import { columnOf, quoted } from './sql.ts';
import type { Statement } from './statement.ts';

/** What the pages of a statement have in common. */
export interface PageKind {
  readonly order: Order;
  /** Whether they end before an id. */
  readonly isBounded: boolean;
}

/** The columns of a filter. */
type Filter = readonly Column[];

/** A page's bounds, as expressions. */
interface Bounds {
  readonly first: string;
  readonly after: string;
  readonly limit: string;
  readonly until: string | undefined;
}

/** Finds the pages of lists of their bounds. Of the parts of the union only one is ever executed for a page. */
export function findPages(model: Model, filters: readonly Filter[], kind: PageKind): Statement {
  const { pgType } = columnOf(model, model.id);
  const columns = filters.flatMap((filter, index) =>
    filter.map((column, place) => ({ column, name: nameOfValue(index, place) })),
  );
  const names = columns.map(({ name }) => name);
  const types = columns.map(({ column }) => column.pgType);
  if (kind.isBounded) {
    names.push('until');
    types.push(pgType);
  }
  const bounds = {
    first: 'page.first',
    after: 'page.after',
    limit: 'page."limit"',
    until: kind.isBounded ? 'page.until' : undefined,
  };
  const isGiven = filters.map((_filter, index) => `page.${nameOfValue(index, 0)}`);
  const isUnfiltered = isGiven.map((value) => `${value} IS NULL`).join(' AND ') || 'true';
  const parts = [
    ...filters.map((filter, index) => {
      const values = filter.map((_column, place) => `page.${nameOfValue(index, place)}`);
      return rowsOf(model, kind.order, bounds, [filter, values], `${values[0]} IS NOT NULL`);
    }),
    rowsOf(model, kind.order, bounds, [[], []], isUnfiltered),
  ].map((part) => `(${part})`);
  const more = types.map((type, index) => `, $${index + 4}::${type}[]`).join('');
  return {
    ...namesOf(model, kind),
    text: `
    SELECT found.*
    FROM unnest($1::${pgType}[], $2::${pgType}[], $3::int[]${more}) WITH ORDINALITY
      AS page (${['first', 'after', '"limit"', ...names, 'number'].join(', ')})
    CROSS JOIN LATERAL (
      SELECT page.number, ${rowsAsLists(model, 'listed')}
      FROM (${parts.join(' UNION ALL')}
      ) AS listed
    ) AS found`,
  };
}

/**
 * Finds a single page, which takes the database less.
 *
 * @param index of the filter, -1 for none
 */
export function findPage(
  model: Model,
  filters: readonly Filter[],
  index: number,
  kind: PageKind,
): Statement {
  const { pgType } = columnOf(model, model.id);
  const filter = filters[index] ?? [];
  const values = filter.map((column, place) => `$${place + 4}::${column.pgType}`);
  const bounds = {
    first: `$1::${pgType}`,
    after: `$2::${pgType}`,
    limit: '$3::int',
    until: kind.isBounded ? `$${filter.length + 4}::${pgType}` : undefined,
  };
  const { name, preparedAs } = namesOf(model, kind);
  return {
    name,
    preparedAs: `${preparedAs}:${index === -1 ? 'one' : index}`,
    text: `
    SELECT '1', ${rowsAsLists(model, 'listed')}
    FROM (${rowsOf(model, kind.order, bounds, [filter, values], 'true')}
    ) AS listed`,
  };
}

function nameOfValue(filter: number, place: number): string {
  return place === 0 ? `filter_${filter}` : `filter_${filter}_${place}`;
}

/**
 * Reads a page off one index. A filter is no plain equality, because PostgreSQL would take it for as good a plan to walk
 * all rows by their ids and leave out the others: only the index on its columns and the id has this order. For the same
 * reason the row that a page begins after is left out by itself.
 */
function rowsOf(
  model: Model,
  order: Order,
  { first, after, limit, until }: Bounds,
  [filter, values]: readonly [Filter, readonly string[]],
  when: string,
): string {
  const isAscending = order === 'asc';
  const [before, upTo, from] = isAscending ? ['<', '<=', '>='] : ['>', '>=', '<='];
  const id = quoted(columnOf(model, model.id).column);
  const columns = model.columns.map((each) => quoted(each.column)).join(', ');
  const by = filter.map(({ column }) => quoted(column));
  const key = [...by, id];
  const conditions = [when];
  if (until !== undefined) {
    conditions.push(`${tuple(key)} ${before} ${tuple([...values, until])}`);
  } else if (by.length > 0) {
    conditions.push(`${tuple(by)} ${upTo} ${tuple(values)}`);
  }
  conditions.push(
    `${tuple(key)} ${from} ${tuple([...values, first])}`,
    `${id} IS DISTINCT FROM ${after}`,
  );
  const sorting = key.map((name) => `${name}${isAscending ? '' : ' DESC'}`).join(', ');
  return `
        SELECT ${columns} FROM ${quoted(model.table)}
        WHERE ${conditions.join(' AND ')}
        ORDER BY ${sorting} LIMIT ${limit}`;
}

function tuple(parts: readonly string[]): string {
  return parts.length === 1 ? parts.join('') : `(${parts.join(', ')})`;
}

function namesOf({ name: model }: Model, { order, isBounded }: PageKind) {
  const name = `${model}.findPages${order === 'asc' ? '' : 'Descending'}`;
  return { name, preparedAs: `${name}${isBounded ? ':until' : ''}` };
}
