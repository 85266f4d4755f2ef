import { Decimal } from '@prisma/client/runtime/client';
import type { RowTexts, TextRow, WrittenColumn } from '@store-gateway/ops';
import { type ColumnType, typeOf } from './column-types.ts';
import type { Column, Model, Row } from './model.ts';
import { inUtc, quoted } from './statements.ts';

/**
 * Returns the SELECT list for a list of rows. The list is returned as one row with a text for each column, because splitting a
 * few long texts costs a third of reading the rows and columns one by one. An aggregate keeps the order of a sorted list
 * (https://www.postgresql.org/docs/current/functions-aggregate.html#FUNCTIONS-AGGREGATE).
 *
 * @param alias the rows' alias in the query
 */
export function rowsAsLists({ columns }: Model, alias: string): string {
  return columns
    .map((column) => columnList(column).select(`${alias}.${quoted(column.column)}`))
    .join(', ');
}

/** Like `rowsAsLists`, preceded by the rows' numbers in their batch. */
export function numberedRows(model: Model, alias: string, number: string): string {
  return `string_agg(${number}::text, ','), ${rowsAsLists(model, alias)}`;
}

/** Returns the SELECT list for a single row, in the same format as `numberedRows`. */
export function numberedRow({ columns }: Model, alias: string): string {
  return `'1', ${columns
    .map((column) => columnList(column).selectOne(`${alias}.${quoted(column.column)}`))
    .join(', ')}`;
}

interface Reader extends Pick<Model, 'rowAt'> {
  readonly lists: readonly ColumnList[];
  /** The indexes of columns, by field. */
  readonly places: ReadonlyMap<string, number>;
  readonly write: ReturnType<typeof rowsWriter>;
}

/** Rows as the database's text, with one text for each column. They are decoded on demand. */
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

  /** Returns some columns of a row. */
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

  /**
   * Returns a JSON array with an object for each row; undefined if the rows lack one of the columns, or if a column that must
   * not be null may be null.
   */
  write(columns: readonly WrittenColumn[]): string | undefined {
    return this.#reader.write(columns, this.#texts, this.length);
  }
}

/** Returns a function that reads rows selected by `rowsAsLists`. */
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

/** Returns a function that decodes rows selected with their numbers, and places each at its index in the batch. */
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

/** Converts the text of a column's value, as `rawRow` selects it, to JSON. */
type ToJson = (text: string) => string;

const asString: ToJson = (text) => JSON.stringify(text);
const asItIs: ToJson = (text) => text;

const TO_JSON: Readonly<Record<ColumnType['json'], ToJson>> = {
  any: asItIs,
  boolean: (text) => String(text === 't'),
  integer: asItIs,
  // JSON can't represent NaN and the infinities.
  number: (text) => (Number.isFinite(Number(text)) ? text : asString(text)),
  string: asString,
};

/**
 * Returns the SELECT list for rows that are returned one by one. On Citus, rows aren't assembled as JSON lists, because that
 * would cost the coordinator twice as much. For a model without array columns, all expressions are immutable, as Citus requires
 * in RETURNING.
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

/** Whether RETURNING may contain the expressions of `rawRow`. */
export function isReturnable({ columns }: Model): boolean {
  return columns.every(({ isList }) => isList !== true);
}

/** Like `rowReader`, but for rows that were selected by `rawRow`. */
export function rawRowReader(model: Model): (rows: readonly TextRow[]) => ListedRows {
  const rowsIn = rowReader(model);
  const writers = model.columns.map((column): ((texts: TextRow) => string) => {
    if (isIntegerList(column)) {
      return (texts) => texts.map((text) => text ?? '').join(',');
    }
    // An array was selected as a list with one value.
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

/** How a column's values are selected as one text, and decoded from that text. */
interface ColumnList {
  /** Returns the SQL aggregate for an expression's values. */
  readonly select: (reference: string) => string;
  /** Returns the SQL for the text of a single value, without an aggregate. */
  readonly selectOne: (reference: string) => string;
  /** Decodes the values, in the form in which Prisma's engine would return them. */
  readonly decode: (text: string) => unknown[];
  /** Returns the value at an index. */
  readonly decodeAt: (text: string, index: number) => unknown;
  /** Returns the number of values. */
  readonly count: (text: string) => number;
}

/**
 * Returns how a column's values are selected and decoded. Integers are joined by commas, with null as an empty text, because JSON
 * costs more to write and read, and would turn 64-bit integers into doubles.
 */
function columnList(column: Column): ColumnList {
  const { isList = false } = column;
  const { select = (reference: string) => reference, decode, json } = typeOf(column);
  const listIn = json === 'any' ? exactValuesIn : json === 'string' && !isList ? textsIn : valuesIn;
  if (isIntegerList(column)) {
    return {
      select: (reference) => `string_agg(coalesce(${reference}::text, ''), ',')`,
      selectOne: (reference) => `coalesce(${reference}::text, '')`,
      decode: (text) => decoded(text.split(','), '', decode),
      decodeAt: (text, index) => decoded(text.split(',').slice(index, index + 1), '', decode)[0],
      count: countIntegers,
    };
  }
  const value = (reference: string): string =>
    isList
      ? `(SELECT json_agg(${select('item')} ORDER BY number) FROM unnest(${reference}) WITH ORDINALITY AS items (item, number))`
      : select(reference);
  const decodeAll = (text: string): unknown[] =>
    isList
      ? // A null array is decoded too, because Prisma's lists are never null.
        listIn(text).map((list) => decoded(listOf(list), null, decode))
      : decoded(listIn(text), null, decode);
  return {
    select: (reference) => `json_agg(${value(reference)})`,
    selectOne: (reference) => `json_build_array(${value(reference)})`,
    decode: decodeAll,
    decodeAt: (text, index) => decodeAll(text)[index],
    count: (text) => listIn(text).length,
  };
}

/** Whether a column's values are joined by commas. */
function isIntegerList(column: Column): boolean {
  return column.isList !== true && typeOf(column).json === 'integer';
}

function countIntegers(text: string): number {
  let count = 1;
  for (let comma = text.indexOf(','); comma >= 0; comma = text.indexOf(',', comma + 1)) {
    count += 1;
  }
  return count;
}

/** Decodes a list in place. */
function decoded(list: unknown[], absent: unknown, decode: ColumnType['decode']): unknown[] {
  if (decode !== undefined) {
    for (let index = 0; index < list.length; index += 1) {
      const value = list[index];
      list[index] = value === absent ? null : decode(value);
    }
  }
  return list;
}

/**
 * Returns the strings and nulls of a list that `json_agg` has written. In JSON without a backslash, quotes only occur around
 * strings, so the list is split at quotes, which is faster: JSON.parse would look up each short string among all those that V8
 * has internalized.
 */
function textsIn(json: string): unknown[] {
  return json.includes('\\') || json.includes('null')
    ? valuesIn(json)
    : json.slice('["'.length, -'"]'.length).split('", "');
}

function valuesIn(json: string): unknown[] {
  return listOf(JSON.parse(json));
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Matches a part of every number that a double could round. */
const INEXACT = /\d{16}|\d[.\de+-]*e/i;

/** Like `valuesIn`, but numbers that a double would round become objects that JSON.stringify writes exactly. */
function exactValuesIn(json: string): unknown[] {
  if (!INEXACT.test(json)) {
    return valuesIn(json);
  }
  return listOf(
    JSON.parse(json, (_name, value: unknown, { source = '' } = {}) =>
      typeof value === 'number' && !(Number.isFinite(value) && new Decimal(source).equals(value))
        ? JSON.rawJSON(source)
        : value,
    ),
  );
}

/** The initial size of the output, large enough for most pages. Allocating it for each page would take 2 µs more. */
const SCRATCH = new Uint8Array(65_536);

/** Writes a column's value for the next row. */
type Put = (output: JsonOutput) => void;

interface Source {
  /** The column's index in the row of lists. */
  readonly place: number;
  /** The text before each value. */
  readonly prefix: string;
  /** Returns the maximum size of the column's values, without quotes and nulls, and a function that creates their writer. */
  readonly open: (list: string) => { readonly size: number; readonly putter: () => Put };
}

type WriteRows = (
  columns: readonly WrittenColumn[],
  lists: TextRow,
  length: number,
) => string | undefined;

/**
 * Returns a function that writes a model's rows as JSON. The function returns undefined if the model lacks one of the columns,
 * or if a column that must not be null may be null.
 */
function rowsWriter(model: Model): WriteRows {
  const known = new WeakMap<readonly WrittenColumn[], readonly Source[]>();
  return (columns, lists, length) => {
    const sources = known.get(columns) ?? sourcesOf(columns, model);
    known.set(columns, sources);
    if (sources.length < columns.length) {
      return undefined;
    }
    return length === 0 ? '[]' : writeRows(sources, lists, length);
  };
}

function sourcesOf(columns: readonly WrittenColumn[], model: Model): readonly Source[] {
  return columns.flatMap((written, index): Source[] => {
    const place = model.columns.findIndex(({ field }) => field === written.field);
    const column = model.columns[place];
    return column === undefined || (written.isNonNull && !column.isRequired)
      ? []
      : [
          {
            place,
            prefix: `${index === 0 ? '{' : ','}${written.name}`,
            open: openerOf(column, written),
          },
        ];
  });
}

function openerOf(column: Column, written: WrittenColumn): Source['open'] {
  const { quotesIds, write, isNonNull } = written;
  const quote = quotesIds ? '"' : '';
  const { decode } = columnList(column);
  if (!isVerbatim(column, written)) {
    return (list) => {
      const texts = decode(list).map((value) =>
        // In a column that is never null, null is JSON's own null.
        value === null && !isNonNull ? 'null' : write(value),
      );
      const size = texts.reduce((sum, text) => sum + text.length, 0);
      return { size, putter: () => putTexts(texts) };
    };
  }
  return isIntegerList(column)
    ? (list) => ({ size: list.length, putter: () => putIntegers(list, quote) })
    : (list) => ({ size: list.length, putter: () => putElements(list) });
}

/** Whether a scalar's JSON is the database's text. Without `quotesIds`, a text ID that looks like an integer has no quotes. */
function isVerbatim(column: Column, { scalar, quotesIds }: WrittenColumn): boolean {
  const { json, verbatim } = typeOf(column);
  const isQuoted = scalar !== 'ID' || json !== 'string' || quotesIds;
  return column.isList !== true && verbatim.includes(scalar) && isQuoted;
}

function putIntegers(list: string, quote: string): Put {
  let next = 0;
  return (output) => {
    next = output.putInteger(list, next, quote);
  };
}

function putElements(list: string): Put {
  let next = '['.length;
  return (output) => {
    next = output.putElement(list, next);
  };
}

function putTexts(texts: readonly string[]): Put {
  let next = 0;
  return (output) => {
    output.put(texts[next] ?? '');
    next += 1;
  };
}

function writeRows(sources: readonly Source[], lists: TextRow, length: number): string {
  const opened = sources.map(({ place, prefix, open }) => ({
    prefix,
    ...open(lists[place] ?? ''),
  }));
  let most = '[]'.length;
  for (const { prefix, size } of opened) {
    // An integer may be quoted, or null. The space for its comma in the list is used for the object's closing brace.
    most += size + (prefix.length + 'null'.length + 1) * length;
  }
  const writeIn = (units: Uint8Array | Uint16Array): JsonOutput => {
    const output = new JsonOutput(units);
    const members = opened.map(({ prefix, putter }) => ({ prefix, put: putter() }));
    for (let row = 0; row < length; row += 1) {
      output.put(row === 0 ? '[' : ',');
      for (const { prefix, put } of members) {
        output.put(prefix);
        put(output);
      }
      output.put('}');
    }
    output.put(']');
    return output;
  };
  const narrow = writeIn(most <= SCRATCH.length ? SCRATCH : new Uint8Array(most));
  return String(narrow.isLossy ? writeIn(new Uint16Array(most)) : narrow);
}

const [QUOTE, COMMA, BACKSLASH, BRACKET] = [0x22, 0x2c, 0x5c, 0x5d];
const LARGEST_BYTE = 0xff;

/**
 * A buffer for JSON that is assembled from pieces of texts. They are copied character by character, because concatenated strings
 * would form a rope, which takes longer to flatten.
 */
class JsonOutput {
  readonly #units: Uint8Array | Uint16Array;
  #length = 0;
  /** The bitwise OR of all characters. */
  #bits = 0;

  constructor(units: Uint8Array | Uint16Array) {
    this.#units = units;
  }

  /** Whether the output has characters that don't fit into its units. */
  get isLossy(): boolean {
    return this.#bits > LARGEST_BYTE && this.#units.BYTES_PER_ELEMENT === 1;
  }

  /** Writes a whole text. */
  put(text: string): void {
    this.#copy(text, 0, text.length);
  }

  /**
   * Writes an integer that ends at a comma or at the text's end, or null if it is empty.
   *
   * @returns the index of the next integer
   */
  putInteger(list: string, start: number, quote: string): number {
    let end = start;
    while (end < list.length && list.charCodeAt(end) !== COMMA) {
      end += 1;
    }
    if (end === start) {
      this.put('null');
    } else {
      this.put(quote);
      this.#copy(list, start, end);
      this.put(quote);
    }
    return end + 1;
  }

  /** Writes a scalar from an array that `json_agg` has written. @returns the index of the next scalar */
  putElement(list: string, start: number): number {
    let end = start;
    if (list.charCodeAt(end) === QUOTE) {
      for (end += 1; list.charCodeAt(end) !== QUOTE; end += 1) {
        if (list.charCodeAt(end) === BACKSLASH) {
          end += 1;
        }
      }
      end += 1;
    } else {
      for (let code = list.charCodeAt(end); code !== COMMA && code !== BRACKET;) {
        end += 1;
        code = list.charCodeAt(end);
      }
    }
    this.#copy(list, start, end);
    return end + ', '.length;
  }

  toString(): string {
    const { buffer, byteOffset, BYTES_PER_ELEMENT } = this.#units;
    return Buffer.from(buffer, byteOffset, this.#length * BYTES_PER_ELEMENT).toString(
      BYTES_PER_ELEMENT === 1 ? 'latin1' : 'utf16le',
    );
  }

  #copy(text: string, start: number, end: number): void {
    const units = this.#units;
    let length = this.#length;
    let bits = this.#bits;
    for (let index = start; index < end; index += 1) {
      const code = text.charCodeAt(index);
      units[length] = code;
      bits |= code;
      length += 1;
    }
    this.#length = length;
    this.#bits = bits;
  }
}
