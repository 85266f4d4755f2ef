import type { TextRow } from '@store-gateway/ops';
import { columnList } from './decode.ts';
import type { Model, Row } from './model.ts';
import { rowReader } from './listed-rows.ts';
import { quoted } from './sql.ts';

/**
 * What to select of a list of rows, so that all of it comes as one row with a text for each column: to take apart a few
 * long texts costs a third of what as many rows and columns cost. An aggregate keeps the order of a sorted list
 * (https://www.postgresql.org/docs/current/functions-aggregate.html#FUNCTIONS-AGGREGATE).
 *
 * @param alias of what has the model's columns
 */
export function rowsAsLists({ columns }: Model, alias: string): string {
  return columns
    .map((column) => columnList(column).select(`${alias}.${quoted(column.column)}`))
    .join(', ');
}

/** The same, and before it the number that each row has in its batch. */
export function numberedRows(model: Model, alias: string, number: string): string {
  return `string_agg(${number}::text, ','), ${rowsAsLists(model, alias)}`;
}

/** What to select of a single row, so that it comes as a list of numbered rows does. */
export function numberedRow({ columns }: Model, alias: string): string {
  return `'1', ${columns
    .map((column) => columnList(column).selectOne(`${alias}.${quoted(column.column)}`))
    .join(', ')}`;
}

/** Makes the rows that were selected with their numbers, each at its place in the batch. */
export function numberedRowDecoder(
  model: Model,
): (texts: readonly TextRow[]) => (Row | undefined)[] {
  const rowsIn = rowReader(model);
  return ([row = []]) => {
    const [numbers, ...lists] = row;
    const rows = rowsIn(lists).decoded();
    const placed: (Row | undefined)[] = [];
    for (const [index, number] of (numbers?.split(',') ?? []).entries()) {
      placed[Number(number) - 1] = rows[index];
    }
    return placed;
  };
}
