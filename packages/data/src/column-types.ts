import { DbNull, Decimal, JsonNull } from '@prisma/client/runtime/client';
import type { Column } from './model.ts';
import { textOfJson } from './prisma-internals.ts';
import { arrayLiteral } from './sql.ts';
import { columnTypes, enumType, type ColumnType, type Encode } from './types.ts';

const TYPES = columnTypes({ Decimal, JsonNull, textOfJson });
const BY_NAME = new Map(TYPES.map((type) => [type.pg, type]));

/** How a column is stored. */
type Stored = Pick<Column, 'pgType' | 'enumValues'>;

const known = new WeakMap<Stored, ColumnType>();

/**
 * The type of a column, of an array that of its items.
 *
 * @throws TypeError for a type that no statement handles, which the generator leaves out
 */
export function typeOf(column: Stored): ColumnType {
  let type = known.get(column);
  if (type === undefined) {
    type = findType(column);
    known.set(column, type);
  }
  return type;
}

function findType({ pgType, enumValues }: Stored): ColumnType {
  const name = pgType.replace('[]', '');
  const type = enumValues === undefined ? BY_NAME.get(name) : enumType(name, enumValues);
  if (type === undefined) {
    throw new TypeError(`no statement handles columns of type ${name}`);
  }
  return type;
}

/**
 * The type that a field of a Prisma schema has in the database; undefined if no statement handles it, or for an enum.
 *
 * @param scalar Prisma's type
 * @param native the name of its attribute, `Uuid` of `@db.Uuid`
 */
export function typeOfScalar(scalar: string, native = ''): ColumnType | undefined {
  return TYPES.find((type) => type.kind === scalar && type.native.includes(native));
}

/** Whether a Prisma type can store every value of a GraphQL scalar. A store's own scalars are not checked. */
export function storesScalar(kind: string, scalar: string): boolean {
  const types = TYPES.filter(({ scalars }) => scalars.includes(scalar));
  return types.length === 0 || types.some((type) => type.kind === kind);
}

/** The text of a parameter, null, or undefined to fall back to Prisma's engine. */
export type Encoded = string | null | undefined;

/** Returns a function that converts a column's values from Prisma's representation to PostgreSQL's. */
export function encoderOf(column: Column): (value: unknown) => Encoded {
  const { isRequired, isList = false } = column;
  const { encode, hasOwnNull = false } = typeOf(column);
  if (isList) {
    // Prisma's lists take no JsonNull.
    return arrayEncoder((item) => (item === JsonNull ? undefined : encode(item)));
  }
  const absent = hasOwnNull ? DbNull : null;
  return (value) => (value === absent && !isRequired ? null : encode(value));
}

/** Encodes arrays, by what encodes their items. */
export function arrayEncoder(encode: Encode): Encode {
  return (value) => {
    const texts = Array.isArray(value) ? value.map(encode) : [undefined];
    return texts.includes(undefined) ? undefined : arrayLiteral(texts.map(String));
  };
}

/** Returns a function that normalizes keys, so that equal keys have equal texts. */
export function canonicalOf(column: Column): (text: string) => string {
  return typeOf(column).ids?.canonical ?? String;
}
