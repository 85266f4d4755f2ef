import { membersOf, onlyMember, type Arguments } from './arguments.ts';
import { rowOf } from './as-read.ts';
import type { AuditEntry } from './audit.ts';
import { encoderOf, typeOf, type Encoded } from './column-types.ts';
import { sameAsRead, type ComparedColumns, type Condition } from './conditions.ts';
import type { Column, Model, Row, WriteOperation } from './model.ts';
import { columnOf } from './sql.ts';

/** What writes of one statement have in common. */
export interface WriteShape {
  /** Names it among those of a model: '' that of all creates. */
  readonly name: string;
  readonly operation: WriteOperation;
  /** The columns that get values: of a create all, in their order. */
  readonly set: readonly Column[];
  /** What has to hold of a row to change. */
  readonly conditions: readonly Condition[];
}

/** A write of one row. */
export interface Write {
  readonly shape: WriteShape;
  /** Of the row to change; null for none, since the conditions never hold. One to create has it among its values. */
  readonly id: string | null;
  /** Those that are stored, null also for what the database is to generate, then those of the conditions. */
  readonly values: readonly (string | null)[];
}

/** A name that a caller has given to one write, for a day. Callers don't meet each other's names. */
export interface IdempotencyKey {
  readonly keyId: bigint;
  readonly name: string;
}

interface Once {
  readonly key: IdempotencyKey;
  /** What a replay of a change repeats; '' of a create, which repeats the values. */
  readonly fingerprint: string;
  /** Whether it is only answered if it was made before, and not made. */
  readonly isReplayOnly: boolean;
}

/** A write to make. */
export interface RequestedWrite {
  readonly write: Write;
  /** What is noted of it in the audit log. */
  readonly audit?: AuditEntry | undefined;
  /** What it is made once under. */
  readonly once?: Once | undefined;
}

/** What a write has left. */
export interface Written {
  /** As it was when this was first done; undefined if the key was used for something else, or if the row can't be read anymore. */
  readonly row: Row | undefined;
  /** Whether that was done before. */
  readonly isReplay: boolean;
  /** Whether the table's types have changed since, so that it can't have such a row anymore. */
  readonly isOutdated?: true;
}

/** Makes writes of one shape, those under keys if these are free: the rows, at the places of their requests. */
export type WriteAlike = (
  writes: readonly RequestedWrite[],
) => Promise<readonly (Row | undefined)[]>;

/** The shape that all of these writes have. @throws TypeError if there are none */
export function commonShape([first]: readonly RequestedWrite[]): WriteShape {
  if (first === undefined) {
    throw new TypeError('there is nothing to write');
  }
  return first.write.shape;
}

/** Names the key of a write; '' if it has none. */
export function nameOfKey({ once }: RequestedWrite): string {
  return once === undefined ? '' : `${once.key.keyId} ${once.key.name}`;
}

/** A change of nothing, which is only looked for among those that were made. */
export function noChange(operation: 'update' | 'delete'): Write {
  return {
    shape: { name: operation, operation, set: [], conditions: [] },
    id: null,
    values: [],
  };
}

/**
 * Makes a create of its `data`, with constant defaults.
 *
 * @returns the field, instead, that statements can't store
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

/** Undefined if the value can't be left out, or only Prisma's engine generates it. */
function valueIfLeftOut(column: Column): Encoded {
  const { constant, generated, isGeneratedByEngine, isRequired, isList } = column;
  // Prisma's lists are never null; those that aren't given are in the database.
  const isNullable = !isRequired || isList === true;
  const isNull = generated !== undefined || (isNullable && isGeneratedByEngine !== true);
  return constant ?? (isNull ? null : undefined);
}

type EncodeChange = (
  operation: Exclude<WriteOperation, 'create'>,
  args: Arguments,
) => Write | string;

/**
 * Makes a change of the `where` and `data` of an update, or the `where` of a delete.
 *
 * @returns what statements can't change by, instead
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

/** Writes to lists of columns and values, and returns the field that has no plain value. */
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
