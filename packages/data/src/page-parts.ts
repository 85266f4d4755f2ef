import type { Order } from './model.ts';
import { isEqual, type PageShape, type SortedColumn } from './page-shape.ts';
import { quoted } from './sql.ts';

/** What a page begins behind, or ends before. */
type Side = 'after' | 'until';

/** How conditions refer to the values that a page is given. */
export interface References {
  readonly valueOf: (parameter: string) => string;
  /** Whether a set is given as a whole, or each of its values by itself. */
  readonly hasWholeSets: boolean;
}

/** Sorted columns of one order that follow each other: rows are compared by all of them at once. */
interface Run {
  readonly start: number;
  readonly columns: readonly SortedColumn[];
  readonly order: Order;
}

/**
 * The conditions of the parts of a page, which an index has in one piece each. A column is equal to the only value of an
 * array: by a plain equality PostgreSQL would know that rows needn't be sorted by it, and take it for as good a plan to read
 * an index without it, and leave out the rows of other values.
 */
export function partsOf(
  shape: PageShape,
  keepsOrder: boolean,
  { valueOf, hasWholeSets }: References,
): (readonly string[])[] {
  const { equal, sorted, range, hasAfter, hasUntil } = shape;
  const equals = ({ column }: SortedColumn, value: string, place: number): string =>
    place === 0 || keepsOrder
      ? `stored.${quoted(column.column)} = ANY(ARRAY[${value}])`
      : `stored.${quoted(column.column)} = ${value}`;
  const runs = runsOf(shape);
  const onSide = (side: Side): (readonly string[])[] =>
    runs.map((run) =>
      sorted
        .slice(0, run.start)
        .map((column, place) => equals(column, valueOf(`${side}_${place}`), equal.length + place))
        .concat(comparison(run, side, valueOf)),
    );
  const always = equal
    .map((column, place) => {
      const value = valueOf(`equal_${place}`);
      return column.isSet && hasWholeSets
        ? `${tuple([column])} = ANY(${value})`
        : equals(column, column.isSet ? `set_${place}.value` : value, place);
    })
    .concat(
      range.map(
        (operator, place) =>
          `${tuple(sorted.slice(0, 1))} ${operator} ${valueOf(`range_${place}`)}`,
      ),
    );
  const ends = hasUntil ? onSide('until') : [[]];
  return (hasAfter ? onSide('after') : [[]]).flatMap((after) =>
    ends.map((until) => always.concat(after, until)),
  );
}

/** PostgreSQL begins to read at one bound only: rows aren't compared at once by a column that has another condition, too. */
function runsOf({ equal, sorted, range }: PageShape): Run[] {
  const runs: Run[] = [];
  const isAlone = (place: number): boolean => {
    const column = sorted[place]?.column;
    return (place === 0 && range.length > 0) || (column !== undefined && isEqual(equal, column));
  };
  let start = 0;
  for (const [place, { order }] of sorted.entries()) {
    if (order !== sorted[place + 1]?.order || isAlone(place) || isAlone(place + 1)) {
      runs.push({ start, columns: sorted.slice(start, place + 1), order });
      start = place + 1;
    }
  }
  return runs;
}

function comparison(
  { start, columns, order }: Run,
  side: Side,
  valueOf: References['valueOf'],
): string {
  const values = columns.map((_, place) => valueOf(`${side}_${start + place}`));
  const operator = (order === 'asc') === (side === 'after') ? '>' : '<';
  return columns.length === 1
    ? `${tuple(columns)} ${operator} ${values.join('')}`
    : `${tuple(columns)} ${operator} (${values.join(', ')})`;
}

function tuple(columns: readonly SortedColumn[]): string {
  const names = columns.map(({ column }) => `stored.${quoted(column.column)}`).join(', ');
  return columns.length === 1 ? names : `(${names})`;
}
