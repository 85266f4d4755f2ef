import {
  inputError,
  inWords,
  type InputRule,
  decimal,
  integerBetween,
  text,
} from '@store-gateway/graphql';
import { type idColumn, orderedColumn } from './columns.ts';
import type { ArgumentRef, SchemaTypes, InputFieldMap } from '@pothos/core';
import type { GraphQLEnumValueExtensions } from 'graphql';
import type { AnyTypes, Builder } from './builder.ts';
import { reversed, type ListFilters, type OrderedBy } from './list-filters.ts';
import type { Json } from '@store-gateway/ops';

type IdColumn = NonNullable<ReturnType<typeof idColumn>>;
type OrderedColumn = ReturnType<typeof orderedColumn>;

export interface Row {
  readonly id?: string | bigint | number;
}

/** A position in an order: values of its columns as Prisma expects them. No row needs to have these values. */
type Place = readonly unknown[];

/** An order of a list's rows. */
export interface ListOrder {
  /** The last column is the id, which breaks ties. */
  readonly columns: readonly OrderedBy[];
  readonly placeOf: (row: Row) => Place;
  readonly cursorOf: (row: Row) => string | bigint | number | undefined;
  /** @throws BAD_USER_INPUT that names the argument, if the text isn't a cursor of this order */
  readonly placeAt: (cursor: string, argument: string) => Place;
}

/** Returns the order by id, in which each cursor is an id. */
function orderOfIds({ rule, valueOf }: IdColumn): ListOrder {
  return {
    columns: [{ field: 'id', order: 'asc' }],
    placeOf: ({ id }) => [id],
    cursorOf: ({ id }) => id,
    placeAt: (cursor, argument) => {
      const id = valueOf(cursor);
      if (id === undefined) {
        throw cursorError(argument, rule.expected);
      }
      return [id];
    },
  };
}

/** Returns an order by columns. A cursor contains the order's name and the values of all its columns, in base64url. */
function orderByColumns(
  name: string,
  columns: readonly (OrderedBy & Pick<OrderedColumn, 'cursor'>)[],
): ListOrder {
  const placeOf = (row: Row): Place => columns.map(({ field }): unknown => Reflect.get(row, field));
  return {
    columns,
    placeOf,
    cursorOf: (row) => {
      const texts = placeOf(row).map((value, index) => columns[index]?.cursor.toText(value));
      return Buffer.from(JSON.stringify([name, ...texts])).toString('base64url');
    },
    placeAt: (cursor, argument) => {
      const [ofOrder, ...texts] = textsOf(cursor);
      const place = columns.map((column, index) => column.cursor.valueOf(texts[index] ?? ''));
      if (ofOrder !== name || texts.length !== columns.length || place.includes(undefined)) {
        throw cursorError(argument, 'a cursor from a list in the same order');
      }
      return place;
    },
  };
}

function textsOf(cursor: string): readonly string[] {
  try {
    const texts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(texts) && texts.every((each) => typeof each === 'string') ? texts : [];
  } catch {
    return [];
  }
}

function cursorError(argument: string, expected: string): Error {
  return inputError([{ path: [argument], message: `${argument} must be ${expected}` }]);
}

declare module 'graphql' {
  interface GraphQLEnumValueExtensions {
    /** For a value of an order's enum: the column to sort by. */
    column?: string | undefined;
  }
}

type SequenceColumn = OrderedBy & Pick<OrderedColumn, 'cursor'>;

/** Returns the columns of a sequence such as `['-due', 'title']`, followed by the id in the direction of the last column. */
function columnsOf<Types extends SchemaTypes>(
  sequence: readonly string[],
  model: string,
  { valueOf }: IdColumn,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): readonly SequenceColumn[] {
  const columns = sequence.map((written): SequenceColumn => {
    const field = written.replace(/^-/, '');
    const order = written === field ? 'asc' : 'desc';
    const { cursor } = orderedColumn(model, field, builder);
    return { field, order, cursor };
  });
  const { order = 'asc' } = columns.at(-1) ?? {};
  return [...columns, { field: 'id', order, cursor: { toText: String, valueOf } }];
}

/** Returns the name of an order in REST, such as "-due,title". */
function nameOf(columns: readonly OrderedBy[]): string {
  return withoutId(columns).map(restNameOf).join();
}

/** Returns the enum values that select an order, such as DUE_DESC and TITLE_ASC. */
function enumValuesOf(columns: readonly OrderedBy[]): readonly string[] {
  return withoutId(columns).map(enumValueOf);
}

type OrderExtensions = Pick<GraphQLEnumValueExtensions, 'restName' | 'column'>;

/** Creates the argument `orderBy`, and the enum of its items. */
function orderArgument(
  t: PothosSchemaTypes.InputFieldBuilder<AnyTypes, 'Arg'>,
  { name, nouns }: { readonly name: string; readonly nouns: string },
  orders: readonly (readonly OrderedBy[])[],
  builder: Builder,
): ArgumentRef<AnyTypes, readonly string[] | null | undefined> {
  const columns = orders.flatMap(withoutId);
  const values: Record<string, { description: string; extensions: OrderExtensions }> = {};
  for (const column of columns) {
    const direction = column.order === 'asc' ? 'ascending' : 'descending';
    values[enumValueOf(column)] = {
      description: `By \`${column.field}\`, ${direction}.`,
      extensions: { restName: restNameOf(column), column: column.field },
    };
  }
  const sequences = orders.map(enumValuesOf);
  const Order = builder.enumType(`${name}Order`, {
    description: `Ways to order ${nouns}.`,
    values,
  });
  return t.field({
    type: [Order],
    extensions: { sequences },
    description: `The order of the ${nouns}: ${inWords(sequences)}. Ids break ties. By default, ${nouns} are ordered by id.`,
  });
}

function withoutId(columns: readonly OrderedBy[]): readonly OrderedBy[] {
  return columns.slice(0, -1);
}

function restNameOf({ field, order }: OrderedBy): string {
  return order === 'asc' ? field : `-${field}`;
}

function enumValueOf({ field, order }: OrderedBy): string {
  return `${field.replaceAll(/(?<=[a-z\d])[A-Z]/g, '_$&')}_${order}`.toUpperCase();
}

export interface OrderOptions {
  /**
   * The orders that the list can have: by one column (`'due'`) or several (`['-due', 'title']`). A minus sign means descending.
   * Each order can also be reversed.
   */
  readonly orderBy?: readonly (string | readonly string[])[];
  /** Columns that arguments such as `dueFrom` and `dueBefore` can filter by. For each column, an order must begin with it. */
  readonly ranges?: readonly string[];
  /** Text columns that arguments such as `titlePrefix` can filter by. For each column, an order must begin with it. */
  readonly prefixes?: readonly string[];
  /** Text columns that the argument `search` searches for a substring. The results are ordered by id. */
  readonly search?: readonly string[];
}

/** How a request orders and filters a list. */
interface Ordered {
  readonly order: ListOrder;
  /** Conditions for Prisma's `where`. */
  readonly restrictions: object;
}

interface OrderArguments {
  readonly args: InputFieldMap;
  /**
   * Arguments that relations don't have, because a statement that reads the rows of several parents at once can't filter by
   * prefix or search.
   */
  readonly ownArgs: InputFieldMap;
  /** @throws BAD_USER_INPUT for arguments that can't be combined */
  readonly read: (given: object) => Ordered;
  /** The declared orders, without their reverses. */
  readonly orders: readonly (readonly OrderedBy[])[];
  /** The columns that each argument except `orderBy` can reveal. */
  readonly columnsOf: ListFilters['columnsOf'];
}

/** The name of the argument for the order. */
export const ORDER_BY = 'orderBy';

/**
 * Creates the arguments that order and filter a list.
 *
 * @throws Error if a column can't be used as declared
 */
export function orderArguments(
  names: { readonly name: string; readonly nouns: string; readonly model: string },
  { orderBy = [], ranges = [], prefixes = [], search = [] }: OrderOptions,
  id: IdColumn,
  builder: Builder,
): OrderArguments {
  const { name, nouns, model } = names;
  const declared = orderBy.map((sequence) => columnsOf([sequence].flat(), model, id, builder));
  const all = declared.flatMap((columns) => [columns, columns.map(reversed)]);
  const withOrder = (field: string): OrderedColumn => {
    const isFirst = declared.some(([first]) => first?.field === field);
    if (!isFirst || (ranges.includes(field) && prefixes.includes(field))) {
      throw new Error(
        isFirst
          ? `${name} can't be filtered by both a range and a prefix of ${field}: remove one`
          : `${name} can't be filtered by ${field}, because no order begins with it: add it to orderBy`,
      );
    }
    return orderedColumn(model, field, builder);
  };
  const ofRanges = ranges.flatMap((field) => rangeOf(withOrder(field), nouns, builder));
  const ofPrefixes = prefixes.map((field) => prefixOf(withOrder(field), nouns));
  const restrictions = [...ofRanges, ...ofPrefixes];
  const args = builder.args((t) => ({
    ...(all.length > 0 && { [ORDER_BY]: orderArgument(t, names, all, builder) }),
    ...argsOf(ofRanges, t),
  }));
  const ownArgs = builder.args((t) => ({
    ...argsOf(ofPrefixes, t),
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
    const restricted = restrictedBy(restrictions, given);
    const searched: unknown = Reflect.get(given, SEARCH);
    if (typeof searched === 'string') {
      if (asked !== undefined || restricted !== undefined) {
        throw combined(SEARCH, 'not be combined with an order other than by id');
      }
      return { order: ofIds, restrictions: contains(search, searched) };
    }
    if (restricted === undefined) {
      return { order: asked ?? ofIds, restrictions: {} };
    }
    const { argument, field, condition } = restricted;
    const order = asked ?? orderOf(field);
    if (order?.columns[0]?.field !== field) {
      throw combined(
        argument,
        `be combined with an order that begins with ${field}, or with no order`,
      );
    }
    return { order, restrictions: { [field]: condition } };
  };
  return {
    args,
    ownArgs,
    read,
    orders: declared,
    columnsOf: new Map([
      // A filter by range or prefix also orders the list, and cursors contain the values of all columns of the order.
      ...restrictions.map(({ argument, field: first }): [string, string[]] => [
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

/** The options and descriptions of the arguments `after` and `before`. */
interface CursorOptions {
  readonly options: { readonly rule: InputRule; readonly example: Json };
  readonly after: string;
  readonly before: string;
}

/** Returns cursor options for a list that is always ordered by id. */
export function cursorOfIds({ rule, example }: IdColumn, noun: string): CursorOptions {
  return {
    options: { rule, example },
    after: `The id of the last ${noun} seen. The list continues after this id.`,
    before: `The id of the first ${noun} seen. The list ends before this id.`,
  };
}

/** Maximum length of a cursor. No cursor of an indexed row is this long. */
const MAX_CURSOR_LENGTH = 16_384;

const CURSOR: InputRule = {
  expected: 'a cursor from this list',
  accepts: (value) =>
    typeof value === 'string' && value !== '' && value.length <= MAX_CURSOR_LENGTH,
  jsonSchema: { type: 'string', minLength: 1 },
};

/** Returns cursor options for a list with several orders. A cursor contains the name of its order. */
export function cursorOfOrders({ example }: IdColumn, noun: string): CursorOptions {
  const where = (end: string): string =>
    `The cursor of the ${end} ${noun} seen, which is its id if the list is ordered by id.`;
  return {
    options: { rule: CURSOR, example: typeof example === 'number' ? String(example) : example },
    after: `${where('last')} The list continues after it.`,
    before: `${where('first')} The list ends before it.`,
  };
}

type Arguments = PothosSchemaTypes.InputFieldBuilder<AnyTypes, 'Arg'>;

/** An argument that filters a list by the first column of its order. */
interface Restriction {
  readonly argument: string;
  readonly field: string;
  readonly operator: 'gte' | 'lt' | 'startsWith';
  readonly ref: (t: Arguments) => ArgumentRef<AnyTypes, unknown>;
}

/** The condition that a request's arguments place on one column. */
interface Restricted {
  /** The first of the arguments that were passed. */
  readonly argument: string;
  readonly field: string;
  readonly condition: object;
}

/** Limits the length of text arguments, because longer values don't fit into an index. */
const TEXT = text(1, 1000);

function argsOf(restrictions: readonly Restriction[], t: Arguments): InputFieldMap {
  return Object.fromEntries(restrictions.map(({ argument, ref }) => [argument, ref(t)]));
}

/** Creates the arguments `dueFrom` and `dueBefore` for a range of `due`. */
function rangeOf(column: OrderedColumn, nouns: string, builder: Builder): Restriction[] {
  const { field } = column;
  const ref = (bound: string) => (t: Arguments) =>
    argumentOf(column, t, builder, `Only ${nouns} whose \`${field}\` is ${bound}.`);
  return [
    { argument: `${field}From`, field, operator: 'gte', ref: ref('this value or later') },
    { argument: `${field}Before`, field, operator: 'lt', ref: ref('before this value') },
  ];
}

/**
 * Creates the argument `titlePrefix` for a prefix of `title`.
 *
 * @throws Error if the column isn't a text column
 */
function prefixOf({ field, type }: OrderedColumn, nouns: string): Restriction {
  if (!type.filters.includes('prefix')) {
    throw new Error(`${field} can't be filtered by prefix, because it isn't a text column`);
  }
  const description = `Only ${nouns} whose \`${field}\` begins with this text (case-sensitive).`;
  return {
    argument: `${field}Prefix`,
    field,
    operator: 'startsWith',
    ref: (t) => t.string({ rule: TEXT, example: 'A', description }),
  };
}

/** @throws BAD_USER_INPUT if the arguments filter by more than one column */
function restrictedBy(restrictions: readonly Restriction[], given: object): Restricted | undefined {
  let restricted: Restricted | undefined;
  for (const { argument, field, operator } of restrictions) {
    const value: unknown = Reflect.get(given, argument);
    if (value == null) {
      continue;
    }
    if (restricted !== undefined && restricted.field !== field) {
      const message = `${argument} must not be combined with ${restricted.argument}`;
      throw inputError([{ path: [argument], message }]);
    }
    const operand =
      operator === 'startsWith' && typeof value === 'string' ? literally(value) : value;
    restricted = {
      argument: restricted?.argument ?? argument,
      field,
      condition: { ...restricted?.condition, [operator]: operand },
    };
  }
  return restricted;
}

/** Escapes a text that Prisma uses as a LIKE pattern, so that the pattern matches only this text. */
function literally(pattern: string): string {
  return pattern.replaceAll(/[\\%_]/g, String.raw`\$&`);
}

/** Creates an argument that takes a value of a column. */
function argumentOf(
  { type: { kind, bits, time } }: OrderedColumn,
  t: Arguments,
  builder: Builder,
  description: string,
): ArgumentRef<AnyTypes, unknown> {
  switch (kind) {
    case 'DateTime':
      return t.field({
        type: time === 'day' ? builder.dateType() : builder.timestampType(),
        description,
      });
    case 'BigInt':
      return t.field({ type: builder.bigIntType(), description });
    case 'Int':
      return t.int({ ...(bits === 16 && { rule: integerBetween(-32_768, 32_767) }), description });
    case 'Float':
      return t.float({ description });
    case 'Decimal':
      return t.field({ type: builder.decimalType(), rule: decimal(1000, 500), description });
    default:
      return t.string({ rule: TEXT, example: 'A', description });
  }
}

/** The name of the argument for searches. */
const SEARCH = 'search';

const MAX_SEARCH_LENGTH = 100;
const WORD = /[\p{L}\p{N}]{3}/u;
const SEARCHED = text(3, MAX_SEARCH_LENGTH);

/** Requires three letters or digits in a row, without which a search would read the whole trigram index. */
const SEARCH_RULE: InputRule = {
  expected: `a string of 3 to ${MAX_SEARCH_LENGTH} characters, with at least three letters or digits in a row`,
  accepts: (value) => SEARCHED.accepts(value) && WORD.test(String(value)),
  jsonSchema: SEARCHED.jsonSchema,
};

function searchArgument(
  t: PothosSchemaTypes.InputFieldBuilder<AnyTypes, 'Arg'>,
  nouns: string,
  columns: readonly string[],
): ArgumentRef<AnyTypes, string | null | undefined> {
  const within = columns.map((field) => `\`${field}\``).join(' or ');
  return t.string({
    rule: SEARCH_RULE,
    example: 'abc',
    description: `Only ${nouns} whose ${within} contains this text (case-insensitive), ordered by id. The text must have 3 to ${MAX_SEARCH_LENGTH} characters, with at least three letters or digits in a row.`,
  });
}

/** Returns Prisma's condition that one of the columns contains a text, ignoring case. */
function contains(columns: readonly string[], searched: string): object {
  const [only, ...others] = columns.map((field) => ({
    [field]: { contains: literally(searched), mode: 'insensitive' },
  }));
  return others.length === 0 ? { ...only } : { OR: [only, ...others] };
}
