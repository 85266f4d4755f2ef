import type { InputFieldMap } from '@pothos/core';
import { inputError } from '@store-gateway/graphql';
import type { AnyTypes } from './builder-prototype.ts';
import type { IdColumn } from './id-columns.ts';
import type { ListFilters } from './list-filters.ts';
import { orderByColumns, orderOfIds, type ListOrder, type OrderedBy } from './list-order.ts';
import { restrictionsOf } from './list-restrictions.ts';
import { columnsOf, enumValuesOf, nameOf, orderArgument, reversed } from './order-sequences.ts';
import { orderedColumn, type OrderedColumn } from './ordered-columns.ts';
import { contains, SEARCH, searchArgument } from './text-search.ts';

export interface OrderOptions {
  /**
   * Columns that the list can be ordered by, one (`'due'`) or several after each other (`['-due', 'title']`), descending with a
   * minus. Each order can be reversed, too.
   */
  readonly orderBy?: readonly (string | readonly string[])[];
  /** Columns with which an order begins, for arguments such as `dueFrom` and `dueBefore`. */
  readonly ranges?: readonly string[];
  /** Columns of text with which an order begins, for arguments such as `titlePrefix`. */
  readonly prefixes?: readonly string[];
  /** Columns of text in which the argument `search` finds parts, in the order of ids. */
  readonly search?: readonly string[];
}

/** How a request orders and restricts a list. */
interface Ordered {
  readonly order: ListOrder;
  /** Prisma's conditions. */
  readonly restrictions: object;
}

interface OrderArguments {
  readonly args: InputFieldMap;
  /** Those that relations don't have: of several rows, no statement reads a prefix or searches. */
  readonly ownArgs: InputFieldMap;
  /** @throws BAD_USER_INPUT for what can't be combined */
  readonly read: (given: object) => Ordered;
  /** The orders that are declared, without those reversed. */
  readonly orders: readonly (readonly OrderedBy[])[];
  /** Of each argument but the order, the columns that it tells of. */
  readonly columnsOf: ListFilters['columnsOf'];
}

/** The argument that says the order. */
export const ORDER_BY = 'orderBy';

/** The arguments that a list is ordered and restricted by. @throws if a column can't be what it is declared as */
export function orderArguments(
  names: { readonly name: string; readonly nouns: string; readonly model: string },
  { orderBy = [], ranges = [], prefixes = [], search = [] }: OrderOptions,
  id: IdColumn,
  builder: PothosSchemaTypes.SchemaBuilder<AnyTypes>,
): OrderArguments {
  const { name, nouns, model } = names;
  const declared = orderBy.map((sequence) => columnsOf([sequence].flat(), model, id, builder));
  const all = declared.flatMap((columns) => [columns, reversed(columns)]);
  const withOrder = (field: string): OrderedColumn => {
    const isFirst = declared.some(([first]) => first?.field === field);
    if (!isFirst || (ranges.includes(field) && prefixes.includes(field))) {
      throw new Error(
        isFirst
          ? `${name} can't be restricted both by a range and by a prefix of ${field}: leave one out`
          : `${name} can't be restricted by ${field}, with which no order begins: add it to orderBy`,
      );
    }
    return orderedColumn(model, field, builder);
  };
  const restrictions = restrictionsOf(
    nouns,
    ranges.map(withOrder),
    prefixes.map(withOrder),
    builder,
  );
  const args = builder.args((t) => ({
    ...(all.length > 0 && { [ORDER_BY]: orderArgument(t, names, all, builder) }),
    ...restrictions.rangeArgs(t),
  }));
  const ownArgs = builder.args((t) => ({
    ...restrictions.prefixArgs(t),
    ...(search.length > 0 && { [SEARCH]: searchArgument(t, nouns, search) }),
  }));

  const ofIds = orderOfIds(id);
  const orders = all.map((columns) => orderByColumns(nameOf(columns), columns));
  const bySequence = new Map(orders.map((order) => [enumValuesOf(order.columns).join(), order]));
  const orderOf = (restricted: string | undefined) =>
    orders.find(({ columns }) => columns[0]?.field === restricted);
  const read = (given: object): Ordered => {
    const sequence: unknown = Reflect.get(given, ORDER_BY);
    const asked = Array.isArray(sequence) ? bySequence.get(sequence.join()) : undefined;
    const restricted = restrictions.read(given);
    const searched: unknown = Reflect.get(given, SEARCH);
    if (typeof searched === 'string') {
      if (asked !== undefined || restricted !== undefined) {
        throw combined(SEARCH, 'not be combined with another order than that of ids');
      }
      return { order: ofIds, restrictions: contains(search, searched) };
    }
    if (restricted === undefined) {
      return { order: asked ?? ofIds, restrictions: {} };
    }
    const { argument, field, condition } = restricted;
    const order = asked ?? orderOf(field);
    if (order?.columns[0]?.field !== field) {
      throw combined(argument, `be combined with an order that begins with ${field}, or with none`);
    }
    return { order, restrictions: { [field]: condition } };
  };
  return {
    args,
    ownArgs,
    read,
    orders: declared,
    columnsOf: new Map([
      // What restricts a list also orders it, and its cursors have the values of all columns of the order.
      ...Array.from(restrictions.columnsOf, ([argument, [first]]): [string, string[]] => [
        argument,
        orderOf(first)?.columns.map(({ field }) => field) ?? [],
      ]),
      [SEARCH, search],
    ]),
  };
}

function combined(argument: string, rule: string): Error {
  return inputError([{ path: [argument], message: `${argument} must ${rule}` }]);
}
