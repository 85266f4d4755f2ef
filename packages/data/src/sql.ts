import type { Column, Model, Order } from './model.ts';

/** A name between quotes. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A name as the text of a literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** An array as PostgreSQL reads it (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO). */
export function arrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
}

/** A time with a time zone, as one without. */
export function inUtc(time: string): string {
  return `(${time} AT TIME ZONE 'UTC')`;
}

/** PostgreSQL takes UUIDs in capitals, in braces, and with other hyphens or none. */
export function uuidOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\da-f]/g, '');
}

/** @throws if the model has no such field */
export function columnOf(model: Model, field: string): Column {
  const column = model.columns.find((candidate) => candidate.field === field);
  if (column === undefined) {
    throw new Error(`${model.name} has no column for ${field}`);
  }
  return column;
}

/** The types of ids that statements handle, the smallest value of each, and the greatest of those that have one. */
export const ID_BOUNDS: Readonly<
  Record<string, readonly [smallest: string, greatest: string | undefined]>
> = {
  bigint: [String(-(2n ** 63n)), String(2n ** 63n - 1n)],
  integer: [String(-(2 ** 31)), String(2 ** 31 - 1)],
  smallint: [String(-(2 ** 15)), String(2 ** 15 - 1)],
  text: ['', undefined],
  uuid: ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
};

/** The first of all ids in an order, if there is one. */
export function firstId(model: Model, order: Order): string | undefined {
  const [smallest, greatest] = ID_BOUNDS[columnOf(model, model.id).pgType] ?? [];
  return order === 'asc' ? smallest : greatest;
}
