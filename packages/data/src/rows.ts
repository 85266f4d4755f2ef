import type { RowTexts, TextRow, WrittenColumn } from '@store-gateway/ops';
import { columnList, type ColumnList } from './decode.ts';
import type { Model, Row } from './model.ts';
import { quoted } from './sql.ts';
import { rowsWriter } from './write-rows.ts';

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

interface Reader extends Pick<Model, 'rowAt'> {
  readonly lists: readonly ColumnList[];
  /** Of columns by their fields. */
  readonly places: ReadonlyMap<string, number>;
  readonly write: ReturnType<typeof rowsWriter>;
}

/** Rows as the database wrote them, a text for each column: they are decoded when somebody asks for that. */
export class ListedRows implements RowTexts<Row> {
  readonly #reader: Reader;
  readonly #texts: TextRow;
  readonly length: number;

  constructor(reader: Reader, texts: TextRow, length: number) {
    this.#reader = reader;
    this.#texts = texts;
    this.length = length;
  }

  slice(_start: 0, end: number): ListedRows {
    return new ListedRows(this.#reader, this.#texts, Math.min(end, this.length));
  }

  /** Some columns of a row. */
  at(index: number, columns: readonly { readonly field: string }[]): Row | undefined {
    const { places, lists } = this.#reader;
    const place = index < 0 ? this.length + index : index;
    const valueOf = (field: string): unknown => {
      const column = places.get(field) ?? -1;
      return lists[column]?.decodeAt(this.#texts[column] ?? '', place);
    };
    return place < 0 || place >= this.length
      ? undefined
      : Object.fromEntries(columns.map(({ field }) => [field, valueOf(field)]));
  }

  decoded(): Row[] {
    if (this.length === 0) {
      return [];
    }
    const { lists, rowAt } = this.#reader;
    const values = lists.map(({ decode }, column) => decode(this.#texts[column] ?? ''));
    return Array.from({ length: this.length }, (_, index) => rowAt(values, index));
  }

  /** A JSON array with an object for each row; undefined if a column isn't of the rows, or lacks what isn't to be null. */
  write(columns: readonly WrittenColumn[]): string | undefined {
    return this.#reader.write(columns, this.#texts, this.length);
  }
}

/** Makes rows of what was selected as lists. */
export function rowReader(model: Model): (texts: TextRow) => ListedRows {
  const { columns, id, rowAt } = model;
  const lists = columns.map(columnList);
  const places = new Map(columns.map(({ field }, place) => [field, place]));
  const reader: Reader = { lists, places, rowAt, write: rowsWriter(model) };
  const idPlace = places.get(id) ?? 0;
  return (texts) => {
    // An aggregate of no rows is null.
    const ids = texts[idPlace] ?? null;
    const length = ids === null ? 0 : (lists[idPlace]?.count(ids) ?? 0);
    return new ListedRows(reader, texts, length);
  };
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
