import { assert, constantFrom, json, nat, oneof, property, string, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { jsonFault, parseExactly, WrittenJson } from '../src/json.ts';

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
])('jsonFault locates the fault in %j at line %i, column %i', (text, line, column) => {
  expect(jsonFault(text)).toEqual({ line, column });
});

function isJson(text: string, parse: (text: string) => unknown = JSON.parse): boolean {
  try {
    parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) {
      return false;
    }
    throw error;
  }
}

test('jsonFault and parseExactly accept exactly the texts that JSON.parse accepts', () => {
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
      expect(isJson(text, parseExactly)).toBe(isJson(text));
    }),
    { numRuns: 5000 },
  );
});

test('jsonFault accepts long strings and deep nesting', () => {
  expect(jsonFault(JSON.stringify('a'.repeat(100_000)))).toBeUndefined();
  expect(jsonFault('['.repeat(50_000) + ']'.repeat(50_000))).toBeUndefined();
  expect(jsonFault(`"${'a'.repeat(100_000)}`)).toEqual({ line: 1, column: 1 });
});

const PADDING = 'x'.repeat(5000);

const nested = (levels: number) =>
  `["${PADDING}",${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}]`;

test.each<[string, unknown]>([
  ['9007199254740993', 9007199254740993n],
  ['9007199254740993.0', 9007199254740993n],
  ['-9.223372036854775808e18', -9223372036854775808n],
  ['90071992547409930e-1', 9007199254740993n],
  ['9007199254740992.5', Number.NaN],
  ['1e-400', Number.NaN],
  ['1E2', 100],
  ['1.5', 1.5],
  ['0e-9', 0],
  ['18446744073709551616', 2 ** 64],
])(
  'parseExactly returns the exact value of %s, or NaN if there is none, in short and long texts',
  (number, value) => {
    const others = `"y":[1.5,"1.5e3 \\" 12345678901234567"],"__proto__":1`;
    expect(parseExactly(number)).toEqual(value);
    const parsed = parseExactly(`{"p":"${PADDING}",${others},"x":[${number}]}`);
    expect(parsed).toMatchObject({ x: [value], y: [1.5, '1.5e3 " 12345678901234567'] });
  },
);

test('parseExactly accepts at most 2048 levels of nesting in a long text', () => {
  expect(parseExactly(nested(2048))).toHaveLength(2);
  expect(() => parseExactly(nested(2049))).toThrow(SyntaxError);
});

test('JSON.stringify preserves all digits of WrittenJson', () => {
  const text = '[{"id":9223372036854775807,"number":-1.50e2,"text":"\\"1\\"","none":null}]';
  expect(JSON.stringify({ rows: new WrittenJson(text) })).toBe(`{"rows":${text}}`);
});
