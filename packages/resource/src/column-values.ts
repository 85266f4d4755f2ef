import type { SchemaTypes } from '@pothos/core';
import { getModel } from '@pothos/plugin-prisma';
import { inputError, type InputPath } from '@store-gateway/graphql';
import { idColumn } from './id-columns.ts';

/** The value of an input as Prisma takes it for the column of the same name: IDs, which are text, as their column has them. */
type ColumnValueOf = (name: string, value: unknown, path: InputPath) => unknown;

/** @throws BAD_USER_INPUT, when it is called, for an ID that can't be one of the column's */
export function columnValuesOf<Types extends SchemaTypes>(
  model: string,
  names: readonly string[],
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): ColumnValueOf {
  const idColumns = new Map(names.map((name) => [name, idColumn(model, name, builder)]));
  return (name, value, path) => {
    const column = typeof value === 'string' ? idColumns.get(name) : undefined;
    if (column === undefined || typeof value !== 'string') {
      return value;
    }
    const ofColumn = column.valueOf(value);
    if (ofColumn === undefined) {
      const message = `${name} must be ${column.rule.expected}`;
      throw inputError([{ path, message }]);
    }
    return ofColumn;
  };
}

/** The fields of a model that are columns, in its order. */
export function columnNames<Types extends SchemaTypes>(
  model: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): string[] {
  return getModel(model, builder)
    .fields.filter(({ kind }) => kind !== 'object')
    .map(({ name }) => name);
}
