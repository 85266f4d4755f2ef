import { membersOf, onlyMember, type Arguments } from './arguments.ts';
import { rowOf } from './as-read.ts';
import type { AuditEntry } from './audit.ts';
import { encoderOf, typeOf } from './column-types.ts';
import { equality, sameAsRead, type Condition } from './conditions.ts';
import type { Column, Model, Row } from './model.ts';
import { columnOf } from './sql.ts';

/** What changes of one statement have in common. */
export interface ChangeShape {
  readonly operation: 'update' | 'delete';
  /** The columns that get values. */
  readonly set: readonly Column[];
  readonly conditions: readonly Condition[];
}

/** A change of one row. */
export interface Change {
  readonly shape: ChangeShape;
  /** Null for none: its conditions never hold. */
  readonly id: string | null;
  /** Those that are stored, then those of the conditions. */
  readonly values: readonly (string | null)[];
}

/** A change to make. */
export interface RequestedChange {
  readonly change: Change;
  /** Of each change of a batch, or of none. */
  readonly audit?: AuditEntry | undefined;
}

type EncodeChange = (operation: ChangeShape['operation'], args: Arguments) => Change | string;

/**
 * Makes a change of the `where` and `data` of an update, or the `where` of a delete.
 *
 * @returns what statements can't change by, instead
 */
export function changeEncoder(model: Model): EncodeChange {
  const { encode: encodeId } = typeOf(columnOf(model, model.id));
  const encodeData = dataEncoder(model);
  const encodeRow = asReadEncoder(model);
  const equalities = new Map(model.columns.map((column) => [column.field, equality(column)]));

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
        const condition = equalities.get(field);
        const encoded = condition?.encode(value);
        if (condition === undefined || encoded === undefined) {
          return field;
        }
        conditions.push(condition);
        values.push(encoded);
      }
    }
    return { shape: { operation, set, conditions }, id: isNever ? null : id, values };
  };
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
