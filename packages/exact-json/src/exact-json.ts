import { codedError } from '@gateway/errors/coded-error';
import { exactNumber } from './exact-number.ts';
import { scanJson } from './scan-json.ts';

/** Of more characters than these it is looked how deep a text is nested. */
const SHORT = 4096;

/** Levels of arrays and objects in each other: no short text has more. */
const MAXIMUM_NESTING = SHORT / 2;

/** What a number may look like that a double could round. */
const INEXACT = /\d{16}|\d[.eE]/;

/** Numbers of a text that no double holds. */
const MAXIMUM_EXACT_NUMBERS = 1000;

/** From here on all integers are bigints, but for those that are too large for anybody (see `exactNumber`). */
const FIRST_BIGINT = 2 ** 53;

type ExactNumbers = readonly (number | bigint)[];

/**
 * The value that a JSON text says, its numbers exact (see `exactNumber`).
 *
 * @throws SyntaxError if it is not valid JSON, or nested too deeply
 * @throws GraphQLError BAD_USER_INPUT if it has too many numbers that no double holds
 */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return text.length > SHORT || INEXACT.test(text) ? withExactNumbers(text, value) : value;
}

/**
 * A reviver would be called for every value, for microseconds each. Instead, a number that no double holds is replaced
 * in the text by one that stands for it, and that no other number is: 2^53 and twice its index.
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
      expectFew(numbers);
    }
  });
  return numbers.length === 0 ? value : restored(JSON.parse(replaced + text.slice(read)), numbers);
}

function expectFew({ length }: ExactNumbers): void {
  if (length > MAXIMUM_EXACT_NUMBERS) {
    throw codedError(
      'BAD_USER_INPUT',
      `The JSON has more than ${MAXIMUM_EXACT_NUMBERS} numbers that a double would round`,
    );
  }
}

/** A value with the exact numbers in the place of those that stand for them. */
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
