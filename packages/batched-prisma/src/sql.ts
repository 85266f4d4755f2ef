import type { Column, Model } from './model.ts';

/** A name between quotes. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A name as the text of a literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** @throws if the model has no such field */
export function columnOf(model: Model, field: string): Column {
  const column = model.columns.find((candidate) => candidate.field === field);
  if (column === undefined) {
    throw new Error(`${model.name} has no column for ${field}`);
  }
  return column;
}

/** The types of ids that statements handle, and the smallest value of each. */
export const SMALLEST_IDS: Readonly<Record<string, string>> = {
  bigint: String(-(2n ** 63n)),
  integer: String(-(2 ** 31)),
  smallint: String(-(2 ** 15)),
  text: '',
  uuid: '00000000-0000-0000-0000-000000000000',
};
