import { expect, test } from 'vitest';
import { parseDuration, printable, table, wholeNumber } from '../../src/command-line.ts';

test.each([
  ['45s', 45_000],
  ['30m', 1_800_000],
  ['12h', 43_200_000],
  ['36500d', 3_153_600_000_000],
  ['36501d', undefined],
  ['1.5d', undefined],
  ['-1d', undefined],
  ['1w', undefined],
  ['', undefined],
])('%s is a duration of %s ms', (text, expected) => {
  expect(parseDuration(text)).toBe(expected);
});

test('what would move a cursor or turn the text around is spelled out', () => {
  expect(printable('a\u001B[2J\n\u0085\u202Eé🐕')).toBe(
    String.raw`a\u{1b}[2J\u{a}\u{85}\u{202e}é🐕`,
  );
});

test('columns are as wide as their widest cell', () => {
  expect(
    table([
      ['ID', 'NAME'],
      ['1000', ''],
    ]),
  ).toBe('ID    NAME\n1000\n');
});

test.each(['4', '999'])('%s is a whole number from 4 to 999', (text) => {
  expect(wholeNumber('--seconds', text, { least: 4, most: 999 })).toBe(Number(text));
});

test.each(['3', '1000', '1e1', '0x9', '5.0', '+5', '05', ' 5', 'five', ''])(
  '"%s" is none',
  (text) => {
    expect(() => wholeNumber('--seconds', text, { least: 4, most: 999 })).toThrow(
      expect.objectContaining({
        message: '--seconds must be a number from 4 to 999; see --help',
        exitCode: 2,
      }),
    );
  },
);
