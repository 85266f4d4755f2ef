import { expect, test } from 'vitest';
import { parseExactly, TooManyExactNumbers } from '../../src/json.ts';

const PADDING = 'x'.repeat(5000);

const nested = (levels: number) =>
  `["${PADDING}",${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}]`;
const numbers = (count: number) => `[${'9e18,'.repeat(count)}1]`;

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
])('%s is exact in a short text, in a long one, and beside others', (number, value) => {
  const others = `"y":[1.5,"1.5e3 \\" 12345678901234567"],"__proto__":1`;
  expect(parseExactly(number)).toEqual(value);
  const parsed = parseExactly(`{"p":"${PADDING}",${others},"x":[${number}]}`);
  expect(parsed).toMatchObject({ x: [value], y: [1.5, '1.5e3 " 12345678901234567'] });
});

test.each(['', '{', '01', '[1e]', '{"a":12345678901234567,}', '[12345678901234567 1]'])(
  'what JSON.parse rejects is rejected: %j',
  (text) => {
    expect(() => parseExactly(text)).toThrow(SyntaxError);
  },
);

test('a long text may be nested 2048 levels deep', () => {
  expect(parseExactly(nested(2048))).toHaveLength(2);
  expect(() => parseExactly(nested(2049))).toThrow(SyntaxError);
});

test('a text may have 1000 numbers that a double would round', () => {
  expect(parseExactly(numbers(1000))).toHaveLength(1001);
  expect(() => parseExactly(numbers(1001))).toThrow(TooManyExactNumbers);
});
