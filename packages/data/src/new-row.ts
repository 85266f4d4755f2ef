import type { AuditEntry } from './audit.ts';
import { membersOf } from './arguments.ts';
import { encoderOf, type Encoded } from './column-types.ts';
import type { Column, Model } from './model.ts';

/** The values of all columns in their order; null also for what the database is to generate. */
export type NewRow = readonly (string | null)[];

/** A row to create. */
export interface RequestedRow {
  readonly values: NewRow;
  /** Of each row of a batch, or of none. */
  readonly audit?: AuditEntry | undefined;
}

/**
 * Makes rows of a create's `data`, with its constant defaults.
 *
 * @returns the field, instead, that statements can't store
 */
export function newRowEncoder(model: Model): (data: unknown) => NewRow | string {
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
    const row: (string | null)[] = [];
    for (const { field, encode, leftOut, isGenerated } of columns) {
      const given = members[field];
      const value = given === undefined ? leftOut : encode(given);
      if (value === undefined || (isGenerated && given === null)) {
        return field;
      }
      row.push(value);
    }
    return Object.keys(members).find((name) => !fields.has(name)) ?? row;
  };
}

/** The values of each column, in the order of rows. */
export function columnLists({ columns }: Model, rows: readonly NewRow[]): (string | null)[][] {
  return columns.map((_column, index) => rows.map((row) => row[index] ?? null));
}

/** Undefined if the value can't be left out, or only Prisma's engine generates it. */
function valueIfLeftOut(column: Column): Encoded {
  const { constant, generated, isGeneratedByEngine, isRequired, isList } = column;
  // Prisma's lists are never null; those that aren't given are in the database.
  const isNullable = !isRequired || isList === true;
  const isNull = generated !== undefined || (isNullable && isGeneratedByEngine !== true);
  return constant ?? (isNull ? null : undefined);
}
