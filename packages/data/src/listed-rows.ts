import type { RowTexts, TextRow, WrittenColumn } from '@store-gateway/ops';
import { columnList, type ColumnList } from './decode.ts';
import type { Model, Row } from './model.ts';
import { rowsWriter } from './write-rows.ts';

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
  const reader = readerOf(model);
  const idPlace = reader.places.get(model.id) ?? 0;
  return (texts) => {
    // An aggregate of no rows is null.
    const ids = texts[idPlace] ?? null;
    const length = ids === null ? 0 : (reader.lists[idPlace]?.count(ids) ?? 0);
    return new ListedRows(reader, texts, length);
  };
}

function readerOf(model: Model): Reader {
  const { columns, rowAt } = model;
  return {
    lists: columns.map(columnList),
    places: new Map(columns.map(({ field }, place) => [field, place])),
    rowAt,
    write: rowsWriter(model),
  };
}
