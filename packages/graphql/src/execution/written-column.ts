import {
  getNullableType,
  GraphQLID,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isScalarType,
  isSpecifiedScalarType,
  type GraphQLField,
  type GraphQLType,
} from 'graphql';
import type { WrittenColumn } from '@store-gateway/ops';

/** How a surface writes values of leaves. */
export interface LeafForm {
  /** Whether ids that are integers are in quotes, as all others then are. */
  readonly quotesIds: (field: GraphQLField<unknown, unknown>) => boolean;
  /** Writes what a field's type has serialized. */
  readonly writerOf: (field: GraphQLField<unknown, unknown>) => (serialized: unknown) => string;
}

/** The column of a field that is a plain property; undefined for any other, one with a scope for example. */
export function columnOf(
  field: GraphQLField<unknown, unknown>,
  key: string,
  form: LeafForm,
): WrittenColumn | undefined {
  const write = writerOf(field.type, form.writerOf(field));
  const nullable = getNullableType(field.type);
  const scalar = isScalarType(nullable) && isSpecifiedScalarType(nullable) ? nullable.name : '';
  return field.resolve === undefined &&
    field.extensions['pothosExposedField'] === field.name &&
    write !== undefined
    ? {
        name: `${JSON.stringify(key)}:`,
        field: field.name,
        isNonNull: isNonNullType(field.type),
        scalar,
        quotesIds: scalar === GraphQLID.name && form.quotesIds(field),
        write,
      }
    : undefined;
}

/** Writes values that aren't null of a leaf's type, or of a list of one's; undefined for any other type. */
function writerOf(
  type: GraphQLType,
  write: (serialized: unknown) => string,
): WrittenColumn['write'] | undefined {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const item = writerOf(nullable.ofType, write);
    return (
      item &&
      ((list) => {
        const items = Array.isArray(list) ? list : [];
        if (isNonNullType(nullable.ofType) && items.includes(null)) {
          throw new TypeError('an item is null');
        }
        return `[${items.map((value) => (value === null ? 'null' : item(value))).join(',')}]`;
      })
    );
  }
  if (!isLeafType(nullable)) {
    return undefined;
  }
  const ofEnum = isEnumType(nullable)
    ? new Map<unknown, string>(nullable.getValues().map(({ name, value }) => [value, write(name)]))
    : undefined;
  return (value) => {
    const known = ofEnum?.get(value);
    if (known !== undefined) {
      return known;
    }
    const serialized: unknown = nullable.serialize(value);
    if (serialized == null) {
      throw new TypeError(`${nullable.name} has no such value`);
    }
    return write(serialized);
  };
}
