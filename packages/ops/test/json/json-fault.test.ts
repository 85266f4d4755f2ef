import { assert, constantFrom, json, nat, oneof, property, string, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { jsonFault } from '../../src/json.ts';

test.each([
  ['', 1, 1],
  ['{', 1, 2],
  ['{\n  "name": Rex\n}', 2, 11],
  ['{"a":1,}', 1, 8],
  ['[1,]', 1, 4],
  ['[1 2]', 1, 4],
  ['{"a" 1}', 1, 6],
  ['{a:1}', 1, 2],
  ["{'a':1}", 1, 2],
  ['{"a":1]', 1, 7],
  ['{"a":1}{}', 1, 8],
  ['{"a":01}', 1, 6],
  ['{"a":+1}', 1, 6],
  ['{"a":1.}', 1, 6],
  ['{"a":"\n"}', 1, 6],
  ['{"a":"\\x"}', 1, 6],
  ['{"a":"b', 1, 6],
  ['\n\n nul', 3, 2],
  ['}', 1, 1],
  [':', 1, 1],
])('%j stops being JSON at line %i, column %i', (text, line, column) => {
  expect(jsonFault(text)).toEqual({ line, column });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('a text has a fault unless JSON.parse takes it', () => {
  const texts = oneof(
    json(),
    tuple(json(), nat(), constantFrom('', ',', '"', '{', ']', '0', 'e', '\\', ' ')).map(
      ([text, position, inserted]) => {
        const at = position % (text.length + 1);
        return text.slice(0, at) + inserted + text.slice(at + 1);
      },
    ),
    string({ unit: constantFrom(...'{}[],:"\\u0019.eE+-truefalsn \t\n'.split('')) }),
  );
  assert(
    property(texts, (text) => {
      expect(jsonFault(text) === undefined).toBe(isJson(text));
    }),
    { numRuns: 5000 },
  );
});

test('a long string, and deep nesting, are no fault', () => {
  expect(jsonFault(JSON.stringify('a'.repeat(100_000)))).toBeUndefined();
  expect(jsonFault('['.repeat(50_000) + ']'.repeat(50_000))).toBeUndefined();
  expect(jsonFault(`"${'a'.repeat(100_000)}`)).toEqual({ line: 1, column: 1 });
});
