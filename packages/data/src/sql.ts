import type { Column, Model } from './model.ts';

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

/** @throws if the model has no such field */
export function columnOf(model: Model, field: string): Column {
  const column = model.columns.find((candidate) => candidate.field === field);
  if (column === undefined) {
    throw new Error(`${model.name} has no column for ${field}`);
  }
  return column;
}
