import type { TextRow, WrittenColumn } from '@store-gateway/ops';
import { JsonOutput } from './json-output.ts';
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
