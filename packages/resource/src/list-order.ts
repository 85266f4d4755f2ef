import { inputError } from '@store-gateway/graphql';
import type { IdColumn } from './id-columns.ts';
import type { OrderedColumn } from './ordered-columns.ts';

export interface Row {
  readonly id?: string | bigint | number;
}

/** A column, and the direction in which rows are in the order of its values. */
export interface OrderedBy {
  readonly field: string;
  readonly order: 'asc' | 'desc';
}

/** The values of the columns of an order, as Prisma takes them: a place in it, whether or not a row is there. */
export type Place = readonly unknown[];

/** An order of a list's rows. */
export interface ListOrder {
  /** The last one is the id, which breaks ties. */
  readonly columns: readonly OrderedBy[];
  readonly placeOf: (row: Row) => Place;
  readonly cursorOf: (row: Row) => string | bigint | number | undefined;
  /** @throws BAD_USER_INPUT for what is no cursor of this order, naming the argument */
  readonly placeAt: (cursor: string, argument: string) => Place;
}

/** The order of ids, whose cursors are the ids. */
export function orderOfIds({ rule, valueOf }: IdColumn): ListOrder {
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

/** An order by columns. A cursor is the order's name and the values of all its columns, in base64url. */
export function orderByColumns(
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
        throw cursorError(argument, 'a cursor of a list in the same order');
      }
      return place;
    },
  };
}

function textsOf(cursor: string): readonly string[] {
  try {
    const texts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(texts) && texts.every((text) => typeof text === 'string') ? texts : [];
  } catch {
    return [];
  }
}

function cursorError(argument: string, expected: string): Error {
  return inputError([{ path: [argument], message: `${argument} must be ${expected}` }]);
}
