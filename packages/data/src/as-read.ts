import { AnyNull, JsonNull } from '@prisma/client/runtime/client';
import { typeOf } from './column-types.ts';
import type { Column, Model, Row } from './model.ts';

/** The rows that conditions were made of. */
const rows = new WeakMap<object, Row>();

/**
 * The condition that no column of a row has changed since it was read, for the `where` of an update or a delete:
 * `{ id, ...asRead(model, row) }`. Columns that the row hasn't aren't compared.
 */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- is assignable to the conditions of any model
export function asRead(model: Model, row: Row): { AND: Record<never, never>[] } {
  const conditions = model.columns
    .filter(({ field }) => row[field] !== undefined)
    .map((column) => conditionOf(column, row[column.field]));
  rows.set(conditions, row);
  return { AND: conditions };
}

/** The row that such a condition was made of. */
export function rowOf(condition: unknown): Row | undefined {
  return condition instanceof Object ? rows.get(condition) : undefined;
}

/** For Prisma's engine, which answers calls of transactions. */
function conditionOf(column: Column, value: unknown): Record<string, unknown> {
  const { field, isList, isRequired, isFiner } = column;
  if (Array.isArray(value) && value.length === 0 && isList) {
    // Prisma reads an array that is null as an empty one.
    return { OR: [{ [field]: { equals: null } }, { [field]: { isEmpty: true } }] };
  }
  if (isList) {
    return { [field]: { equals: value } };
  }
  if (typeOf(column).hasOwnNull === true) {
    return { [field]: { equals: value ?? (isRequired ? JsonNull : AnyNull) } };
  }
  if (isFiner && value instanceof Date) {
    return { [field]: { gte: value, lt: new Date(value.getTime() + 1) } };
  }
  return { [field]: value };
}
