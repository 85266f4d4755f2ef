import { batchStatements, type BatchStatements } from './batch.ts';
import type { Model, Order } from './model.ts';
import type { PageShape, SortedColumn } from './page-shape.ts';
import { parameterRows, valueOf, type Parameter } from './parameters.ts';
import { rowsAsLists } from './rows.ts';
import { quoted } from './sql.ts';

/** What a page begins behind, or ends before. */
type Side = 'after' | 'until';

/** Sorted columns of one order that follow each other: rows are compared by all of them at once. */
interface Run {
  readonly start: number;
  readonly end: number;
  readonly order: Order;
}

const LIMIT = 'LIMIT parameters."limit"';

/**
 * Finds ordered pages. Each is read off one index, in parts that this has in one piece: for each of the values of sets, and
 * for each run of columns of one order in which rows can be behind the page's first one, or before its last. No part has
 * more rows than the page.
 *
 * @param keepsOrder whether PostgreSQL reads an index in its order where several columns are compared with arrays
 */
export function findOrderedPages(
  model: Model,
  shape: PageShape,
  keepsOrder: boolean,
): BatchStatements {
  const { equal, sorted } = shape;
  const given = equal.map(({ column, isSet }, place): Parameter => {
    const { pgType } = column;
    return isSet
      ? { name: `equal_${place}`, pgType: `${pgType}[]`, isList: true }
      : { name: `equal_${place}`, pgType };
  });
  const sets = given.flatMap((parameter, place) =>
    parameter.isList === true
      ? `(
        SELECT DISTINCT value FROM unnest(${valueOf(parameter, `parameters.${parameter.name}`)}) AS given (value)
      ) AS set_${place}`
      : [],
  );
  const parts = partsOf(model, shape, keepsOrder);
  const rows =
    sets.length === 0
      ? parts
      : `
      SELECT part.* FROM ${sets.join(' CROSS JOIN ')}
      CROSS JOIN LATERAL (${parts}
      ) AS part
      ORDER BY ${sorting(sorted, 'part')} ${LIMIT}`;
  return batchStatements(
    `${model.name}.findOrderedPages`,
    (size) => `
    SELECT found.*
    FROM ${parameterRows([...given, ...otherParameters(shape)], size)}
    CROSS JOIN LATERAL (
      SELECT parameters.number, ${rowsAsLists(model, 'listed')}
      FROM (${rows}
      ) AS listed
    ) AS found`,
  );
}

function otherParameters({ sorted, range, hasAfter, hasUntil }: PageShape): Parameter[] {
  const sides = [hasAfter ? ['after'] : [], hasUntil ? ['until'] : []].flat();
  return [
    ...range.map((_comparison, place) => ({
      name: `range_${place}`,
      pgType: sorted[0]?.column.pgType ?? '',
    })),
    ...sides.flatMap((side) =>
      sorted.map(({ column }, place) => ({ name: `${side}_${place}`, pgType: column.pgType })),
    ),
    { name: '"limit"', pgType: 'int' },
  ];
}

function partsOf(model: Model, shape: PageShape, keepsOrder: boolean): string {
  const { equal, sorted, range, hasAfter, hasUntil } = shape;
  const isEqual = (column: string, value: string, place: number): string =>
    place === 0 || keepsOrder ? `${column} = ANY(ARRAY[${value}])` : `${column} = ${value}`;
  const always = [
    ...equal.map(({ column, isSet }, place) =>
      isEqual(
        stored(column.column),
        isSet ? `set_${place}.value` : `parameters.equal_${place}`,
        place,
      ),
    ),
    ...range.map(
      (comparison, place) =>
        `${stored(sorted[0]?.column.column ?? '')} ${comparison} parameters.range_${place}`,
    ),
  ];
  const runs = runsOf(shape);
  const onSide = (side: Side): string[][] =>
    runs.map(({ start, end, order }) => [
      ...sorted
        .slice(0, start)
        .map(({ column }, place) =>
          isEqual(stored(column.column), `parameters.${side}_${place}`, equal.length + place),
        ),
      compared(
        sorted.slice(start, end),
        (order === 'asc') === (side === 'after') ? '>' : '<',
        (place) => `parameters.${side}_${start + place}`,
      ),
    ]);
  const behind = hasAfter ? onSide('after') : [[]];
  const before = hasUntil ? onSide('until') : [[]];
  const columns = model.columns.map(({ column }) => stored(column)).join(', ');
  const by = [...equal, ...sorted];
  const parts = behind.flatMap((after) =>
    before.map((until) => {
      const conditions = [...always, ...after, ...until];
      return `
        SELECT ${columns} FROM ${quoted(model.table)} AS stored
        ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
        ORDER BY ${sorting(by, 'stored')} ${LIMIT}`;
    }),
  );
  return parts.length === 1
    ? parts.join('')
    : `
        SELECT * FROM (${parts.map((part) => `(${part})`).join(' UNION ALL ')}
        ) AS parts ORDER BY ${sorting(by, 'parts')} ${LIMIT}`;
}

/** With a range of its own, the first column is a run: PostgreSQL begins to read at one bound of a column only. */
function runsOf({ sorted, range }: PageShape): Run[] {
  const runs: Run[] = [];
  let start = 0;
  for (const [place, { order }] of sorted.entries()) {
    if (order !== sorted[place + 1]?.order || (place === 0 && range.length > 0)) {
      runs.push({ start, end: place + 1, order });
      start = place + 1;
    }
  }
  return runs;
}

function compared(
  columns: readonly SortedColumn[],
  comparison: string,
  valueAt: (place: number) => string,
): string {
  const names = columns.map(({ column }) => stored(column.column));
  const values = columns.map((_column, place) => valueAt(place));
  return `${tuple(names)} ${comparison} ${tuple(values)}`;
}

function sorting(columns: readonly SortedColumn[], alias: string): string {
  return columns
    .map(
      ({ column, order }) => `${alias}.${quoted(column.column)}${order === 'asc' ? '' : ' DESC'}`,
    )
    .join(', ');
}

function stored(column: string): string {
  return `stored.${quoted(column)}`;
}

function tuple(parts: readonly string[]): string {
  return parts.length === 1 ? parts.join('') : `(${parts.join(', ')})`;
}
