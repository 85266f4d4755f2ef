declare global {
  interface JSON {
    /** A value that JSON.stringify writes as the given text (ECMA-262, 25.5.3). */
    rawJSON(text: string): object;
  }
}

/** A JSON value, as `JSON.parse` returns it. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [name: string]: Json;
}

/** Whether a value is a JSON object, and not an array or null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether PostgreSQL can store a text: it rejects NUL, and UTF-8 can't encode unpaired surrogates. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** A part of a result that is already written as JSON. */
export class WrittenJson {
  /** The JSON. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Returns the parsed value for JSON.stringify, which then writes each number exactly as it is in `text`. */
  toJSON(): unknown {
    return JSON.parse(this.text, (_name, value: unknown, { source = '' } = {}) =>
      typeof value === 'number' ? JSON.rawJSON(source) : value,
    );
  }
}

const DECIMAL = /^-?(?<whole>\d+)(?:\.(?<fraction>\d+))?(?:[eE](?<exponent>[+-]?\d+))?$/;

const ZERO = /^-?[0.]+(?:$|[eE])/;

/** Integers from this one on exceed 64 bits, and remain doubles. */
const LARGEST = 2 ** 64;

/**
 * Parses a number in JSON without loss. An integer beyond 2^53 becomes a bigint, in any spelling (`9e18`, `9007199254740993.0`).
 * A fraction that a double would round to an integer becomes NaN, so that it can't be mistaken for one.
 */
function exactNumber(source: string): number | bigint {
  const value = Number(source);
  if (value === 0) {
    return ZERO.test(source) ? value : Number.NaN;
  }
  // A double preserves 15 digits.
  const isExact = source.length <= 16 && Number.isSafeInteger(value);
  if (isExact || !Number.isInteger(value) || Math.abs(value) >= LARGEST) {
    return value;
  }
  const exact = exactInteger(source);
  if (exact === undefined) {
    return Number.NaN;
  }
  return Number.isSafeInteger(value) ? value : exact;
}

/** Returns the exact value of a number other than zero if it is an integer, and undefined if it is a fraction. */
function exactInteger(source: string): bigint | undefined {
  const { whole = '', fraction = '', exponent = '0' } = DECIMAL.exec(source)?.groups ?? {};
  const digits = whole + fraction;
  // The integer has at most 20 digits, so a positive shift is small. A negative shift may exceed the number of digits, which are
  // then all part of the fraction.
  const shift = Number(exponent) - fraction.length;
  if (shift < 0 && !/^0+$/.test(digits.slice(shift))) {
    return undefined;
  }
  const integer = BigInt(shift < 0 ? digits.slice(0, shift) : digits + '0'.repeat(shift));
  return source.startsWith('-') ? -integer : integer;
}

/** A double preserves any number with up to this many digits. */
const KEPT_DIGITS = 15;

/**
 * Finds the numbers in valid JSON that a double might round: those with many digits or an exponent.
 *
 * @throws SyntaxError if the nesting is deeper than `levels`
 */
function scanJson(
  text: string,
  levels: number,
  onInexact: (start: number, end: number) => void,
): void {
  let level = 0;
  let start = 0;
  let digits = 0;
  let hasExponent = false;
  for (let at = 0; at <= text.length; at += 1) {
    const character = text.charAt(at);
    if (character >= '0' && character <= '9') {
      digits += 1;
    } else if (character === 'e' || character === 'E') {
      // An `e` that doesn't follow a digit is a letter of `true` or `false`.
      hasExponent = digits > 0;
    } else if (character !== '.' && character !== '+' && character !== '-') {
      if (digits > KEPT_DIGITS || hasExponent) {
        onInexact(start, at);
      }
      digits = 0;
      hasExponent = false;
      if (character === '"') {
        at = endOfString(text, at);
      } else if (character === '[' || character === '{') {
        level += 1;
      } else if (character === ']' || character === '}') {
        level -= 1;
      }
      if (level > levels) {
        throw new SyntaxError('the text is nested too deeply');
      }
      start = at + 1;
    }
  }
}

/** Returns the index of a string's closing quotation mark. */
function endOfString(text: string, start: number): number {
  let end = start + 1;
  while (text.charAt(end) !== '"') {
    end += text.charAt(end) === '\\' ? 2 : 1;
  }
  return end;
}

/** Matches a token of JSON (RFC 8259, 2): punctuation (group 1), a string (group 2), or any other value. */
const TOKEN =
  /([{}[\],:])|("(?:[ !#-[\]-\uFFFF]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
const SPACE = /[ \t\n\r]*/y;

/** The position at which a text stops being valid JSON. Lines and columns start at 1, and columns count UTF-16 code units. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
}

/** Returns the first fault in a text; undefined if it is valid JSON, however deeply nested. */
export function jsonFault(text: string): JsonFault | undefined {
  const open: string[] = [];
  let awaited: Awaited = 'value';
  let at = skipSpace(text, 0);
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const [token, mark, string] = TOKEN.exec(text) ?? [];
    const next: Awaited | undefined =
      token === undefined ? undefined : after(awaited, { mark, string }, open);
    if (token === undefined || next === undefined) {
      return placeOf(text, at);
    }
    awaited = next;
    at = skipSpace(text, at + token.length);
  }
  return awaited === 'end' && open.length === 0 ? undefined : placeOf(text, at);
}

/**
 * The tokens that may come next: `first` means a value or the end of an array, `name` a member's name, `firstName` a name or the
 * end of an object.
 */
type Awaited = 'value' | 'first' | 'name' | 'firstName' | 'colon' | 'end';

interface Token {
  readonly mark: string | undefined;
  readonly string: string | undefined;
}

/** Returns what may follow a token, and updates `open`; undefined if the token isn't allowed. */
function after(awaited: Awaited, { mark, string }: Token, open: string[]): Awaited | undefined {
  if (mark === ':') {
    return awaited === 'colon' ? 'value' : undefined;
  }
  if (awaited === 'name' || awaited === 'firstName') {
    return string === undefined ? closed(mark, awaited === 'firstName', open) : 'colon';
  }
  if (awaited === 'end') {
    if (mark === ',' && open.length > 0) {
      return open.at(-1) === '{' ? 'name' : 'value';
    }
    return closed(mark, true, open);
  }
  if (awaited === 'colon') {
    return undefined;
  }
  if (mark === '{' || mark === '[') {
    open.push(mark);
    return mark === '{' ? 'firstName' : 'first';
  }
  return mark === undefined ? 'end' : closed(mark, awaited === 'first', open);
}

/** Closes the innermost array or object; returns undefined if the mark isn't allowed here. */
function closed(mark: string | undefined, mayClose: boolean, open: string[]): 'end' | undefined {
  const opening = mark === '}' ? '{' : '[';
  if (!mayClose || (mark !== '}' && mark !== ']') || open.at(-1) !== opening) {
    return undefined;
  }
  open.pop();
  return 'end';
}

function skipSpace(text: string, from: number): number {
  SPACE.lastIndex = from;
  return from + (SPACE.exec(text)?.[0].length ?? 0);
}

function placeOf(text: string, at: number): JsonFault {
  const lines = text.slice(0, at).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** A text of up to this length can't be nested too deeply, so its nesting isn't checked. */
const SHORT = 4096;
const MAXIMUM_NESTING = SHORT / 2;

/** Matches part of every number that a double could round. */
const INEXACT = /\d{16}|\d[.eE]/;

const MAXIMUM_EXACT_NUMBERS = 1000;

/**
 * Thrown for JSON that contains too many numbers that a double would round. The message doesn't quote the JSON, so the sender may
 * see it.
 */
export class TooManyExactNumbers extends RangeError {
  override readonly name = 'TooManyExactNumbers';
}

/** Integers from this one to 2^64 are parsed as bigints (see `exactNumber`). */
const FIRST_BIGINT = 2 ** 53;

type ExactNumbers = readonly (number | bigint)[];

/**
 * Parses JSON with exact numbers (see `exactNumber`).
 *
 * @throws SyntaxError if it is invalid, or nested too deeply
 * @throws TooManyExactNumbers if it has too many numbers that a double would round
 */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return text.length > SHORT || INEXACT.test(text) ? withExactNumbers(text, value) : value;
}

/**
 * Parses JSON with exact numbers. It doesn't use a reviver, which is called for every value and would take up to a hundred times
 * as long as JSON.parse. Instead, each inexact number is replaced in the text by a placeholder that no other number can equal:
 * 2^53 plus twice its index.
 */
function withExactNumbers(text: string, value: unknown): unknown {
  const numbers: (number | bigint)[] = [];
  let replaced = '';
  let read = 0;
  scanJson(text, MAXIMUM_NESTING, (start, end) => {
    const number = exactNumber(text.slice(start, end));
    if (typeof number === 'bigint' || Number.isNaN(number)) {
      replaced += text.slice(read, start) + String(FIRST_BIGINT + 2 * numbers.length);
      read = end;
      numbers.push(number);
      if (numbers.length > MAXIMUM_EXACT_NUMBERS) {
        throw new TooManyExactNumbers(
          `The JSON has more than ${MAXIMUM_EXACT_NUMBERS} numbers that a double would round`,
        );
      }
    }
  });
  return numbers.length === 0 ? value : restored(JSON.parse(replaced + text.slice(read)), numbers);
}

/** Replaces the placeholders in a value with their numbers. */
function restored(value: unknown, numbers: ExactNumbers): unknown {
  if (typeof value === 'number') {
    return value < FIRST_BIGINT ? value : (numbers[(value - FIRST_BIGINT) / 2] ?? value);
  }
  if (Array.isArray(value)) {
    const elements: unknown[] = value;
    elements.forEach((element, index) => {
      elements[index] = restored(element, numbers);
    });
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      Reflect.set(value, name, restored(member, numbers));
    }
  }
  return value;
}

/** Matches an integer as JSON writes it: no sign except a minus, and no leading zeros. */
const INTEGER = /^(?:0|-?[1-9]\d{0,18})$/;

/** Parses a 64-bit integer; returns undefined for anything else. */
export function toInt64(spelling: string): bigint | undefined {
  const value = INTEGER.test(spelling) ? BigInt(spelling) : undefined;
  return value !== undefined && BigInt.asIntN(64, value) === value ? value : undefined;
}
