import type { SchemaTypes } from '@pothos/core';
import { typeOf, type ColumnType } from '@store-gateway/data';
import { columnOf } from './id-columns.ts';

/** A column that lists can be ordered by. */
export interface OrderedColumn {
  readonly field: string;
  readonly type: ColumnType;
  /** Its values in cursors: as text, exactly, and back. */
  readonly cursor: NonNullable<ColumnType['cursor']>;
}

/** @throws an error that says which columns lists can be ordered by, if this is another */
export function orderedColumn<Types extends SchemaTypes>(
  model: string,
  field: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): OrderedColumn {
  const column = columnOf(model, field, builder);
  const isExact = column?.isRequired === true && column.isList !== true && column.isFiner !== true;
  const type = isExact ? typeOf(column) : undefined;
  if (type?.cursor === undefined) {
    throw new Error(
      `${model} can't be ordered by ${field}: only required columns of integers, decimals, floats, text, days and times to the millisecond (@db.Timestamptz(3)) can, and the builder's option resources.models must have the model`,
    );
  }
  return { field, type, cursor: type.cursor };
}
