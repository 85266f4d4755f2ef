import type { SortedField } from './conditions.ts';
import type { Equal } from './equal-to.ts';
import { leadingFields } from './indexes.ts';
import type { Keysets } from './keyset.ts';
import type { Column, Model, Order } from './model.ts';
import type { Comparison, Range } from './range.ts';

export interface SortedColumn {
  readonly column: Column;
  readonly order: Order;
}

/** What the pages of one statement have in common. */
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

/** Rows that a statement reads off one index, in its order. */
export interface Page {
  readonly shape: PageShape;
  /** Of what is equal, where a set is an array's text; of the range; of the rows that it begins behind and ends before. */
  readonly values: readonly string[];
  readonly limit: number;
  /** The column of a text whose rows have a prefix: a range, if the database orders its texts by their bytes. */
  readonly prefixed: string | undefined;
}

/** In what order an index has rows: those of equal values together, and in the order of the other columns. */
export function indexOrder({ equal, sorted }: PageShape): readonly SortedColumn[] {
  return [...equal, ...sorted.filter(({ column }) => !isEqual(equal, column))];
}

/** Whether its statement depends on `DatabaseOrder`, as several columns may be compared with arrays. */
export function dependsOnOrder({ equal, sorted, hasAfter, hasUntil }: PageShape): boolean {
  return equal.length > 1 || (sorted.length > 1 && (hasAfter || hasUntil));
}

/** Whether its pages are in the order of ids, with a single value for each equal column. */
export function isPlain({ equal, sorted }: PageShape): boolean {
  return sorted.length === 1 && equal.every(({ isSet }) => !isSet);
}

export function isEqual(equal: PageShape['equal'], column: Column): boolean {
  return equal.some((each) => each.column.field === column.field);
}

/** What a page asks for. */
interface Asked {
  readonly equal: readonly Equal[];
  readonly sorted: readonly SortedField[];
  readonly range: Range | undefined;
  readonly keysets: Keysets;
}

interface FoundShape {
  readonly shape: PageShape;
  /** Of each equal column of the shape, its index in what was asked for. */
  readonly places: readonly number[];
}

/** Maximum of shapes that are kept for a model, as clients choose filters and orders. */
const MAX_KEPT = 256;

/** Returns the shape of a page; undefined if no index has its rows together and in its order. */
export type FindShape = (asked: Asked) => FoundShape | undefined;

/** Returns a function that finds the shapes of a model's pages. */
export function shapeFinder(model: Model): FindShape {
  const kept = new Map<string, FoundShape>();
  return (asked) => {
    const name = nameOf(asked);
    const known = kept.get(name);
    if (known !== undefined) {
      return known;
    }
    const found = findShape(model, asked);
    if (found !== undefined && kept.size < MAX_KEPT) {
      kept.set(name, found);
    }
    return found;
  };
}

function nameOf({ equal, sorted, range, keysets: { after, until } }: Asked): string {
  let name = '';
  for (const { column, size } of equal) {
    name += size > 1 ? `in ${column.field}\n` : `= ${column.field}\n`;
  }
  for (const { field, order } of sorted) {
    name += `by ${field} ${order}\n`;
  }
  for (const [comparison] of range?.bounds ?? []) {
    name += comparison;
  }
  return `${name}${after.length > 0 ? ' after' : ''}${until.length > 0 ? ' until' : ''}`;
}

function findShape(model: Model, asked: Asked): FoundShape | undefined {
  const { equal, sorted, range, keysets } = asked;
  const places = new Map(equal.map(({ column }, place) => [column.field, place]));
  const others = sorted.filter(({ field }) => !places.has(field));
  const leading = leadingFields(model, new Set(places.keys()), others);
  if (leading === undefined) {
    return undefined;
  }
  const found = leading.flatMap(({ field, order }) => {
    const place = places.get(field) ?? -1;
    const known = equal[place];
    return known === undefined ? [] : { known, place, order };
  });
  return {
    shape: {
      // The same for any order of the conditions.
      name: nameOf({ ...asked, equal: found.map(({ known }) => known) }),
      equal: found.map(({ known, order }) => ({
        column: known.column,
        order,
        isSet: known.size > 1,
      })),
      sorted: sorted.map(({ column, order }) => ({ column, order })),
      range: range?.bounds.map(([comparison]) => comparison) ?? [],
      hasAfter: keysets.after.length > 0,
      hasUntil: keysets.until.length > 0,
    },
    places: found.map(({ place }) => place),
  };
}
