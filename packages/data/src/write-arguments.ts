import { type Arguments, membersOf, onlyMember } from './calls.ts';
import { type Encoded, encoderOf, typeOf } from './column-types.ts';
import { type ComparedColumns, type Condition, rowOf, sameAsRead } from './conditions.ts';
import { type Column, columnOf, type Model, type Row, type WriteOperation } from './model.ts';
import type { Write, WriteShape } from './write-statements.ts';

/**
 * Returns a function that converts the `data` of a create to a write, with constant defaults.
 *
 * @returns the function, which returns a field's name instead of a write if statements can't store the field's value
 */
export function createEncoder(model: Model): (data: unknown) => Write | string {
  const shape: WriteShape = {
    name: '',
    operation: 'create',
    set: model.columns,
    conditions: [],
  };
  const columns = model.columns.map((column) => ({
    field: column.field,
    encode: encoderOf(column),
    leftOut: valueIfLeftOut(column),
    isGenerated: column.generated !== undefined,
  }));
  const fields = new Set(columns.map(({ field }) => field));
  return (data) => {
    const members = membersOf(data);
    if (members === undefined) {
      return 'data';
    }
    const values: (string | null)[] = [];
    for (const { field, encode, leftOut, isGenerated } of columns) {
      const given = members[field];
      const value = given === undefined ? leftOut : encode(given);
      if (value === undefined || (isGenerated && given === null)) {
        return field;
      }
      values.push(value);
    }
    return Object.keys(members).find((name) => !fields.has(name)) ?? { shape, id: null, values };
  };
}

/** Returns the value of an omitted column; undefined if it can't be omitted, or if only Prisma's engine can generate it. */
function valueIfLeftOut(column: Column): Encoded {
  const { constant, generated, isGeneratedByEngine, isRequired, isList } = column;
  // Lists are never null in Prisma, but omitted lists are null in the database.
  const isNullable = !isRequired || isList === true;
  const isNull = generated !== undefined || (isNullable && isGeneratedByEngine !== true);
  return constant ?? (isNull ? null : undefined);
}

type EncodeChange = (
  operation: Exclude<WriteOperation, 'create'>,
  args: Arguments,
) => Write | string;

/**
 * Returns a function that converts the `where` and `data` of an update, or the `where` of a delete, to a write.
 *
 * @returns the function, which instead of a write returns the name of an argument or field that statements don't support, if
 *   there is one
 */
export function changeEncoder(model: Model, compared: ComparedColumns): EncodeChange {
  const { encode: encodeId } = typeOf(columnOf(model, model.id));
  const encodeData = dataEncoder(model);
  const encodeRow = asReadEncoder(model);

  return (operation, { where, data }) => {
    const given = membersOf(where);
    const id = given && encodeId(given[model.id]);
    if (given === undefined || id === undefined) {
      return 'where';
    }
    const set: Column[] = [];
    const conditions: Condition[] = [];
    const values: (string | null)[] = [];
    const fault = operation === 'update' ? encodeData(data, set, values) : undefined;
    if (fault !== undefined) {
      return fault;
    }
    let isNever = false;
    for (const field in given) {
      const value = given[field];
      const row = field === 'AND' ? rowOf(value) : undefined;
      if (row !== undefined) {
        if (!encodeRow(row, conditions, values)) {
          return field;
        }
      } else if (field === 'NOT') {
        if (encodeId(onlyMember(value, model.id)) !== id) {
          return field;
        }
        isNever = true;
      } else if (field !== model.id) {
        const condition = compared.get(field);
        const encoded = condition?.encode(value);
        if (condition === undefined || encoded === undefined) {
          return field;
        }
        conditions.push(condition);
        values.push(encoded);
      }
    }
    return { shape: changeShape(operation, set, conditions), id: isNever ? null : id, values };
  };
}

function changeShape(
  operation: WriteOperation,
  set: readonly Column[],
  conditions: readonly Condition[],
): WriteShape {
  let name: string = operation;
  for (const { column } of set) {
    name += `\n${column}`;
  }
  for (const condition of conditions) {
    name += `\n${condition.name}`;
  }
  return { name, operation, set, conditions };
}

/**
 * Returns a function that adds fields to lists of columns and values. If statements don't support a field or its value, the
 * function returns the field's name.
 */
function dataEncoder({ columns, id }: Model) {
  const encoders = columns.map((column) => ({ column, encode: encoderOf(column) }));
  const fields = new Set(columns.map(({ field }) => field).filter((field) => field !== id));
  return (data: unknown, set: Column[], values: (string | null)[]): string | undefined => {
    const members = membersOf(data);
    if (members === undefined) {
      return 'data';
    }
    for (const { column, encode } of encoders) {
      const given = members[column.field];
      if (given !== undefined) {
        const value = encode(given);
        if (value === undefined) {
          return column.field;
        }
        set.push(column);
        values.push(value);
      }
    }
    return Object.keys(members).find((name) => !fields.has(name));
  };
}

function asReadEncoder({ columns }: Model) {
  const all = columns.map(sameAsRead);
  return (row: Row, conditions: Condition[], values: (string | null)[]): boolean =>
    all.every((condition) => {
      const given = row[condition.column.field];
      const value = given === undefined ? undefined : condition.encode(given);
      if (value !== undefined) {
        conditions.push(condition);
        values.push(value);
      }
      return given === undefined || value !== undefined;
    });
}

/** Returns a change without effect, which can only look up an earlier result. */
export function noChange(operation: 'update' | 'delete'): Write {
  return {
    shape: { name: operation, operation, set: [], conditions: [] },
    id: null,
    values: [],
  };
}
