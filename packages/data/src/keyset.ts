import { membersOf, onlyMember, type Arguments } from './arguments.ts';
import type { SortedField } from './conditions.ts';

/** The rows that pages begin behind and end before: the values of the sorted fields of each, if it is given. */
export interface Keysets {
  readonly after: readonly string[];
  readonly until: readonly string[];
}

interface Keyset {
  readonly side: keyof Keysets;
  readonly values: readonly string[];
}

const NO_KEYSETS: Keysets = { after: [], until: [] };

/** What `OR`, or an `AND` of them, says of the rows of a page; undefined if it is anything else. */
export function keysetsOf(
  { OR, AND = [] }: Arguments,
  sorted: readonly SortedField[],
): Keysets | undefined {
  if (OR === undefined && Array.isArray(AND) && AND.length === 0) {
    return NO_KEYSETS;
  }
  const conditions: unknown[] = Array.isArray(AND) ? AND : [AND];
  const given = [
    ...(OR === undefined ? [] : [OR]),
    ...conditions.map((condition) => onlyMember(condition, 'OR')),
  ].map((alternatives) => keysetOf(alternatives, sorted));
  const sides: Record<keyof Keysets, readonly string[]> = { after: [], until: [] };
  for (const keyset of given) {
    if (keyset === undefined || sides[keyset.side].length > 0) {
      return undefined;
    }
    sides[keyset.side] = keyset.values;
  }
  return sides;
}

/**
 * The rows on one side of another: those whose first field is behind a value, or is that value, and whose second is behind
 * one, and so on.
 */
function keysetOf(alternatives: unknown, sorted: readonly SortedField[]): Keyset | undefined {
  if (!Array.isArray(alternatives) || alternatives.length !== sorted.length) {
    return undefined;
  }
  const values: string[] = [];
  const sides = new Set<Keyset['side']>();
  for (const [place, { field, order, encode }] of sorted.entries()) {
    const members = membersOf(alternatives[place]) ?? {};
    const comparison = membersOf(members[field]) ?? {};
    const operator = 'gt' in comparison ? 'gt' : 'lt';
    const value = encode(onlyMember(comparison, operator));
    const isWhole =
      Object.keys(members).length === place + 1 &&
      values.every((known, before) => {
        const equal = sorted[before];
        return equal?.encode(members[equal.field]) === known;
      });
    if (!isWhole || value == null) {
      return undefined;
    }
    values.push(value);
    sides.add((operator === 'gt') === (order === 'asc') ? 'after' : 'until');
  }
  const [side] = sides;
  return side === undefined || sides.size > 1 ? undefined : { side, values };
}
