import type { Column, Order } from './model.ts';

export type Comparison = '<' | '<=' | '>' | '>=';

export interface SortedColumn {
  readonly column: Column;
  readonly order: Order;
}

/** What ordered pages of one statement have in common. */
export interface PageShape {
  /** Names it among the shapes of a model. */
  readonly name: string;
  /** Columns that equal a value, or one of a set, in the order of the index that pages are read off. */
  readonly equal: readonly (SortedColumn & { readonly isSet: boolean })[];
  /** What rows are ordered by. The last is the id. */
  readonly sorted: readonly SortedColumn[];
  /** How the first of these columns is compared, with a value each. */
  readonly range: readonly Comparison[];
  /** Whether pages begin behind a row, and whether they end before one. */
  readonly hasAfter: boolean;
  readonly hasUntil: boolean;
}

export interface OrderedPage {
  readonly shape: PageShape;
  /** Of what is equal, where a set is an array's text; of the range; of the rows that it begins behind and ends before. */
  readonly values: readonly string[];
  readonly limit: number;
  /** The column of a text whose rows have a prefix: a range, if the database orders its texts by their bytes. */
  readonly prefixed: string | undefined;
}

/** In what order an index has rows: those of equal values together, and in the order of the other columns. */
export function indexOrder({ equal, sorted }: Omit<PageShape, 'name'>): readonly SortedColumn[] {
  return [...equal, ...sorted.filter(({ column }) => !isEqual(equal, column))];
}

export function isEqual(equal: PageShape['equal'], column: Column): boolean {
  return equal.some((each) => each.column.field === column.field);
}

export function pageShape(shape: Omit<PageShape, 'name'>): PageShape {
  const { equal, sorted, range, hasAfter, hasUntil } = shape;
  const name = [
    ...equal.map(({ column, order, isSet }) => `${isSet ? 'in' : '='} ${column.field} ${order}`),
    ...sorted.map(({ column, order }) => `${column.field} ${order}`),
    ...range,
    ...(hasAfter ? ['after'] : []),
    ...(hasUntil ? ['until'] : []),
  ].join('\n');
  return { name, ...shape };
}
