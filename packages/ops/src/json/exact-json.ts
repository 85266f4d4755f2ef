import { exactNumber } from './exact-number.ts';
import { scanJson } from './scan-json.ts';

/** Characters up to which a text needs no check of its nesting, since it can't exceed the maximum. */
const SHORT = 4096;
const MAXIMUM_NESTING = SHORT / 2;

/** Found in every number that a double could round. */
const INEXACT = /\d{16}|\d[.eE]/;

const MAXIMUM_EXACT_NUMBERS = 1000;

/** Its message says so, and nothing of the text: it may be shown to whoever sent that. */
export class TooManyExactNumbers extends RangeError {
  override readonly name = 'TooManyExactNumbers';
}

/** From here on integers are bigints, up to those that are too large anyway (see `exactNumber`). */
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
 * A reviver, called for every value, would take up to a hundred times as long as JSON.parse. Instead, each inexact number is
 * replaced in the text by a placeholder that no other number can be: 2^53 and twice its index.
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

/** Replaces the placeholders in a value. */
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
