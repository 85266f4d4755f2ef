import type { TextRow } from '@store-gateway/ops';
import { typeOf } from '../column-types.ts';
import { columnList, isIntegerList } from '../decode.ts';
import type { Column, Model } from '../model.ts';
import { rowReader, type ListedRows } from '../rows.ts';
import { inUtc, quoted } from '../sql.ts';
import type { ColumnType } from '../types.ts';

/** Writes a value of a column, as an expression of `rawRow` gives it, as JSON. */
type ToJson = (text: string) => string;

const asString: ToJson = (text) => JSON.stringify(text);
const asItIs: ToJson = (text) => text;

const TO_JSON: Readonly<Record<ColumnType['json'], ToJson>> = {
  any: asItIs,
  boolean: (text) => String(text === 't'),
  integer: asItIs,
  // JSON has no word for NaN and the infinities.
  number: (text) => (Number.isFinite(Number(text)) ? text : asString(text)),
  string: asString,
};

/**
 * What to select of each row, so that workers do no more than read it: rows that are put together as JSON by the database
 * cost the coordinator of a cluster twice as much. Without arrays, all of it is immutable, as Citus wants it of RETURNING.
 */
export function rawRow({ columns }: Model, alias: string): string {
  return columns.map((column) => rawValue(column, `${alias}.${quoted(column.column)}`)).join(', ');
}

function rawValue(column: Column, reference: string): string {
  if (column.isList === true) {
    return columnList(column).selectOne(reference);
  }
  const { select = asItIs, time } = typeOf(column);
  return select(time === 'with time zone' ? inUtc(reference) : reference);
}

/** Whether RETURNING may have what is selected of a row. */
export function isReturnable({ columns }: Model): boolean {
  return columns.every(({ isList }) => isList !== true);
}

/** Like `rowReader`, but for rows that were selected one by one. */
export function rawRowReader(model: Model): (rows: readonly TextRow[]) => ListedRows {
  const rowsIn = rowReader(model);
  const writers = model.columns.map((column): ((texts: TextRow) => string) => {
    if (isIntegerList(column)) {
      return (texts) => texts.map((text) => text ?? '').join(',');
    }
    // An array is the only value of a list.
    const write =
      column.isList === true ? (text: string) => text.slice(1, -1) : TO_JSON[typeOf(column).json];
    return (texts) => `[${texts.map((text) => (text === null ? 'null' : write(text))).join(', ')}]`;
  });
  return (rows) =>
    rowsIn(
      rows.length === 0
        ? []
        : writers.map((write, place) => write(rows.map((row) => row[place] ?? null))),
    );
}
