import type { Column, Model } from './model.ts';

/** A name, or a schema's and a name, between quotes. */
export function quoted(...names: readonly string[]): string {
  return names.map((name) => `"${name.replaceAll('"', '""')}"`).join('.');
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
