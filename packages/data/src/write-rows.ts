import type { TextRow, WrittenColumn } from '@store-gateway/ops';
import { typeOf } from './column-types.ts';
import { columnList, isIntegerList } from './decode.ts';
import type { Column, Model } from './model.ts';

/** For most pages: an array of its own would take 2 µs more. */
const SCRATCH = new Uint8Array(65_536);

/** Puts the value of a column for the next row. */
type Put = (output: JsonOutput) => void;

interface Source {
  /** Its place in the row of lists. */
  readonly place: number;
  /** What is before each value. */
  readonly prefix: string;
  /** What the values take at most, without quotes and nulls; and what puts them, from the first row on. */
  readonly open: (list: string) => { readonly size: number; readonly putter: () => Put };
}

type WriteRows = (
  columns: readonly WrittenColumn[],
  lists: TextRow,
  length: number,
) => string | undefined;

/** Writes the rows of a model as JSON; undefined for columns that it hasn't, or that may be null where that isn't allowed. */
export function rowsWriter(model: Model): WriteRows {
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
        // JSON's null is a value of a column that is never null.
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

/** Whether what the database has written is what a scalar writes. Text that is an integer's in JSON has no quotes. */
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
    // Each integer may be in quotes, or null; its comma makes room for the object's brace.
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
 * JSON that is put together of pieces of texts. They are copied character by character: strings added to each other would be a
 * rope, and to flatten that takes longer.
 */
class JsonOutput {
  readonly #units: Uint8Array | Uint16Array;
  #length = 0;
  /** The bits of all characters. */
  #bits = 0;

  constructor(units: Uint8Array | Uint16Array) {
    this.#units = units;
  }

  /** Whether it has characters that its units have no room for. */
  get isLossy(): boolean {
    return this.#bits > LARGEST_BYTE && this.#units.BYTES_PER_ELEMENT === 1;
  }

  /** A whole text. */
  put(text: string): void {
    this.#copy(text, 0, text.length);
  }

  /** An integer that ends at a comma, or with the text; null if it is empty. @returns where the next one begins */
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

  /** A scalar of an array as `json_agg` writes it. @returns where the next one begins */
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
