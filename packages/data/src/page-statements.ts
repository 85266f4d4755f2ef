import type { Statement } from '@store-gateway/ops';
import type { Model, Order } from './model.ts';
import type { PageFilter } from './page-filters.ts';
import { rowsAsLists } from './rows.ts';
import { columnOf, quoted } from './sql.ts';

/** What the pages of a statement have in common. */
export interface PageKind {
  readonly order: Order;
  /** Whether they end before an id. */
  readonly isBounded: boolean;
}

/** A page's bounds, as expressions. */
interface Bounds {
  readonly first: string;
  readonly after: string;
  readonly limit: string;
  readonly until: string | undefined;
}

/** Finds the pages of lists of their bounds. Of the parts of the union only one is ever executed for a page. */
export function findPages(model: Model, filters: readonly PageFilter[], kind: PageKind): Statement {
  const { pgType } = columnOf(model, model.id);
  const values = filters.map(({ index, columns }) =>
    columns.map((column, place) => ({ name: `filter_${index}_${place}`, type: column.pgType })),
  );
  const lists = [...values.flat(), ...(kind.isBounded ? [{ name: 'until', type: pgType }] : [])];
  const bounds = {
    first: 'page.first',
    after: 'page.after',
    limit: 'page."limit"',
    until: kind.isBounded ? 'page.until' : undefined,
  };
  const firstValues = values.flatMap(([value]) =>
    value === undefined ? [] : `page.${value.name}`,
  );
  const parts = filters.map((filter) => {
    const given = (values[filter.index] ?? []).map(({ name }) => `page.${name}`);
    const when = firstValues.map(
      (value) => `${value} IS ${given.includes(value) ? 'NOT ' : ''}NULL`,
    );
    return `(${rowsOf(model, kind.order, bounds, [filter, given], when)})`;
  });
  const types = lists.map(({ type }, index) => `, $${index + 4}::${type}[]`).join('');
  const names = ['first', 'after', '"limit"', ...lists.map(({ name }) => name), 'number'];
  return {
    ...namesOf(model, kind),
    text: `
    SELECT found.*
    FROM unnest($1::${pgType}[], $2::${pgType}[], $3::int[]${types}) WITH ORDINALITY
      AS page (${names.join(', ')})
    CROSS JOIN LATERAL (
      SELECT page.number, ${rowsAsLists(model, 'listed')}
      FROM (${parts.join(' UNION ALL')}
      ) AS listed
    ) AS found`,
  };
}

/** Finds a single page, which takes the database less. */
export function findPage(model: Model, filter: PageFilter, kind: PageKind): Statement {
  const { pgType } = columnOf(model, model.id);
  const values = filter.columns.map((column, place) => `$${place + 4}::${column.pgType}`);
  const bounds = {
    first: `$1::${pgType}`,
    after: `$2::${pgType}`,
    limit: '$3::int',
    until: kind.isBounded ? `$${values.length + 4}::${pgType}` : undefined,
  };
  const { name, preparedAs } = namesOf(model, kind);
  return {
    name,
    preparedAs: `${preparedAs}:${values.length === 0 ? 'one' : filter.index}`,
    text: `
    SELECT '1', ${rowsAsLists(model, 'listed')}
    FROM (${rowsOf(model, kind.order, bounds, [filter, values])}
    ) AS listed`,
  };
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
  [filter, values]: readonly [PageFilter, readonly string[]],
  conditions: readonly string[] = [],
): string {
  const isAscending = order === 'asc';
  const [before, upTo, from] = isAscending ? ['<', '<=', '>='] : ['>', '>=', '<='];
  const id = quoted(columnOf(model, model.id).column);
  const columns = model.columns.map((each) => quoted(each.column)).join(', ');
  const by = filter.columns.map(({ column }) => quoted(column));
  const key = [...by, id];
  const all = [...conditions];
  if (until !== undefined) {
    all.push(`${tuple(key)} ${before} ${tuple([...values, until])}`);
  } else if (by.length > 0) {
    all.push(`${tuple(by)} ${upTo} ${tuple(values)}`);
  }
  all.push(`${tuple(key)} ${from} ${tuple([...values, first])}`, `${id} IS DISTINCT FROM ${after}`);
  const sorting = key.map((name) => `${name}${isAscending ? '' : ' DESC'}`).join(', ');
  return `
        SELECT ${columns} FROM ${quoted(model.table)}
        WHERE ${all.join(' AND ')}
        ORDER BY ${sorting} LIMIT ${limit}`;
}

function tuple(parts: readonly string[]): string {
  return parts.length === 1 ? parts.join('') : `(${parts.join(', ')})`;
}

function namesOf({ name: model }: Model, { order, isBounded }: PageKind) {
  const name = `${model}.findPages${order === 'asc' ? '' : 'Descending'}`;
  return { name, preparedAs: `${name}${isBounded ? ':until' : ''}` };
}
