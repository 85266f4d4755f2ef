import { Prisma } from './generated/client.ts';

/** Values of a column, in calls of Prisma's client. */
interface Values {
  /** Values that statements store and find again. */
  readonly stored: readonly unknown[];
  /** Values that statements send and PostgreSQL rejects. */
  readonly refused?: readonly unknown[];
  /** Values that are passed to Prisma's engine, which may reject them. */
  readonly judged: readonly unknown[];
}

/** Floats whose digits statements store in full, unlike the engine. */
export const EXACT_FLOATS = [0.1 + 0.2, 2.2250738585072014e-308, -1.7976931348623157e308, 1 / 3];

const INT64 = [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n];
// Pages are parsed differently if they contain numbers of 16 or more digits, quotes, backslashes or null.
const BIG_INTS = [5, -(10n ** 15n) + 1n, 10n ** 15n, Number.MAX_SAFE_INTEGER, ...INT64];
const NO_BIG_INTS = [2n ** 63n, -(2n ** 63n) - 1n, 2 ** 53];
const FLOATS = [0, -0, 1.5, -0.1, 2 ** 53, 1e21, 1e-7, 5e-324, -1.7e308];
const NO_FLOATS = [NaN, Infinity, -Infinity, '1', true, {}];
const DECIMALS = [
  0,
  1.5,
  1e21,
  -1e-7,
  '-0',
  '1.500',
  '1e3',
  '1e-31',
  '5e-31',
  `-${'9'.repeat(35)}.${'9'.repeat(30)}`,
  new Prisma.Decimal('1e-30'),
  new Prisma.Decimal('12345678901234567890.5'),
];
const NO_DECIMALS = [
  ...'| 1|x|0x10|1_000|+1|.5|5.|1E3|NaN|Infinity|-Infinity'.split('|'),
  NaN,
  Infinity,
  1n,
  true,
  new Prisma.Decimal(NaN),
  new Prisma.Decimal(Infinity),
];
const TEXTS = [
  '',
  ' ',
  ' a ',
  ', ',
  "'",
  '"',
  '", "',
  '["',
  '"]',
  '{}',
  '{"a",NULL}',
  '%_',
  '€',
  'É',
  'e\u0301',
  'null',
  'NULL',
  '\\',
  '\\x41',
  '\u0001\u001f\u007f\u0080',
  '\r\n\t\u2028',
  '\ufeff\u200b\u202e',
  '😀\u{10ffff}',
  '\u{10ffff}',
  '\ud7ff',
  '\ue000\ufffd\uffff',
];
const NO_TEXTS = ['a\0', '\ud800', 'a\udc00b', 1, true, {}];
const LONG_TEXT = 'long € '.repeat(9000);
const UUIDS = [
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11',
  '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12}',
  'a0eebc999c0b4ef8bb6d6bb9bd380a13',
  'a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a14',
];
const NO_UUIDS = [
  ...'|x|urn:uuid:a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11|a\0'.split('|'),
  ...'{a0eebc999c0b4ef8bb6d6bb9bd380a11|a0eebc999c0b4ef8bb6d6bb9bd380a1'.split('|'),
  1,
];
const MOMENTS = [
  new Date(0),
  new Date(-1),
  new Date('0001-01-02T00:00:00Z'),
  new Date('1800-01-01T12:00:00.001Z'),
  new Date('2024-02-29T23:59:59.999Z'),
  // When clocks change for daylight saving time.
  new Date('2024-03-10T06:30:00Z'),
  new Date('2024-11-03T04:01:00.010Z'),
  new Date('9999-12-30T23:59:59.999Z'),
  '2024-02-29T23:59:59.9Z',
  '2024-02-29T23:59:59+09:00',
  '2024-02-29T23:59:59.999-12:45',
  '2024-02-29T00:00:00-00:00',
];
const NO_MOMENTS = [
  ...['0000-12-31T23:59:59.999Z', '-000043-03-15T12:00:00Z', '+010000-01-01T00:00:00Z'].map(
    (text) => new Date(text),
  ),
  ...[8.64e15, -8.64e15, NaN].map((time) => new Date(time)),
  ...'|now|infinity|2024-02-29|2024-02-29 23:59:59Z|+010000-01-01T00:00:00Z'.split('|'),
  ...'2024-02-30T00:00:00Z|2024-02-29T24:00:00Z|2024-02-29T23:59:60Z'.split('|'),
  ...'2024-02-29T00:00:00+24:00|2024-02-29T00:00:00.1234Z|0000-02-29T00:00:00Z'.split('|'),
  0,
];
const BYTES = Uint8Array.from({ length: 256 }, (_byte, index) => index);
const BLOBS = [
  new Uint8Array(),
  new Uint8Array(1),
  BYTES,
  BYTES.subarray(250),
  Buffer.from('\\x41'),
];
const NO_BLOBS = [new Uint16Array([1]), new ArrayBuffer(1), 'AAEC', [1], 1];
const LEVELS = ['low', 'high'];
const NO_LEVELS = ['LOW', 'newer', 'toString', '', 1];
const JSONS = [
  { a: null, B: [1, 'x', { b: true }], aa: {}, '': '', '10': 0, '2': 0 },
  [],
  [[], [[]], {}],
  true,
  false,
  ...TEXTS,
  0,
  -0,
  1.5,
  1e21,
  1e-7,
  5e-324,
  1.7e308,
  Number.MAX_SAFE_INTEGER,
];
// oxlint-disable-next-line no-sparse-arrays -- callers may pass sparse arrays
const SPARSE = [1, , 2];
const NO_JSONS = [
  '\ud800',
  ['\ud800'],
  { a: '\udc00' },
  { '\udc00': 1 },
  NaN,
  [Infinity],
  1n,
  { a: 1n },
  Symbol('a'),
  [undefined],
  { a: undefined },
  SPARSE,
  new Map([['a', 1]]),
  Buffer.from('a'),
  new Date(0),
  { a: new Date(0) },
  { a: new Prisma.Decimal(1) },
  { toJSON: () => 'x' },
  [Prisma.JsonNull],
  Prisma.AnyNull,
];
/** JSON values with a NUL character, which PostgreSQL rejects. */
const REFUSED_JSONS = ['a\0', { 'a\0': 1 }];

const required = (stored: readonly unknown[], judged: readonly unknown[]): Values => ({
  stored,
  judged: [undefined, null, ...judged],
});
const optional = (stored: readonly unknown[], judged: readonly unknown[]): Values => ({
  stored: [undefined, null, ...stored],
  judged,
});
const listOf = (stored: readonly unknown[], judged: readonly unknown[]): Values => ({
  stored: [undefined, [], [stored[0]], stored],
  judged: [null, [null], [undefined], 1, { set: stored }, ...judged.map((each) => [each])],
});
const NO_INTEGERS = [1.5, '7', true, NaN, Infinity, []];

/** For each column, an ordinary value, the limits of its type, and values with a special notation. */
export const COLUMN_VALUES: Readonly<Record<string, Values>> = {
  bigInt: required([0n, ...BIG_INTS], [...NO_INTEGERS, ...NO_BIG_INTS]),
  bigIntOrNull: optional(BIG_INTS, NO_BIG_INTS),
  int: required([0, -0, 1, 2 ** 31 - 1, -(2 ** 31)], [...NO_INTEGERS, 2 ** 31, 1n, 2 ** 64]),
  intOrNull: optional([32_767, -32_768], [32_768, -32_769, 2 ** 31]),
  float: required(FLOATS, NO_FLOATS),
  floatOrNull: optional([1.5], [NaN]),
  decimal: required(DECIMALS, NO_DECIMALS),
  decimalOrNull: optional(['1.000005', '-1.0000049', '999999999999999', '1e-9'], ['1,5']),
  string: required([...TEXTS, LONG_TEXT], NO_TEXTS),
  stringOrNull: optional(['NULL', '"', '😀'.repeat(40), `${'x'.repeat(40)}  `], NO_TEXTS),
  uuidOrNull: optional(UUIDS, NO_UUIDS),
  boolean: required([true, false], ['true', 0]),
  booleanOrNull: optional([true, false], ['true', 0]),
  dateTime: required(MOMENTS, NO_MOMENTS),
  dateTimeOrNull: optional(MOMENTS, NO_MOMENTS),
  dateOrNull: optional(MOMENTS, NO_MOMENTS),
  json: {
    ...required([...JSONS, Prisma.JsonNull], [...NO_JSONS, Prisma.DbNull]),
    refused: REFUSED_JSONS,
  },
  jsonOrNull: {
    stored: [
      undefined,
      ...JSONS.filter((value) => typeof value !== 'string'),
      Prisma.JsonNull,
      Prisma.DbNull,
    ],
    judged: [null, NaN, [undefined], '\ud800'],
  },
  bytes: required(BLOBS, NO_BLOBS),
  bytesOrNull: optional([BYTES], [1]),
  level: required(LEVELS, NO_LEVELS),
  levelOrNull: optional(LEVELS, NO_LEVELS),
  strings: listOf(TEXTS, NO_TEXTS),
  ints: listOf([0, -0, 32_767, -32_768], [32_768, 1.5, '1']),
  bigInts: listOf([0n, ...BIG_INTS], NO_BIG_INTS),
  floats: listOf(FLOATS, NO_FLOATS),
  decimals: listOf(DECIMALS, NO_DECIMALS),
  booleans: listOf([true, false], ['true']),
  dateTimes: listOf(MOMENTS, NO_MOMENTS),
  jsons: {
    ...listOf(JSONS, [...NO_JSONS, Prisma.JsonNull]),
    refused: REFUSED_JSONS.map((each) => [each]),
  },
  blobs: listOf(BLOBS, NO_BLOBS),
  levels: listOf(LEVELS, NO_LEVELS),
  ownerId: optional(INT64, ['1']),
};

/** For each column, values that only SQL can store. */
export const STORED_BY_SQL: Readonly<Record<string, readonly string[]>> = {
  '"dateTime"': [
    'infinity',
    '-infinity',
    '4713-01-01 BC',
    '0001-01-01 00:00:00+00 BC',
    '294276-12-31 UTC',
    '275760-09-13 00:00:00.001+00',
    '2024-01-01 00:00:00.0005+00',
  ],
  '"dateTimeOrNull"': ['infinity', '-infinity', '4713-01-01 BC', '294276-12-31'],
  '"dateOrNull"': ['infinity', '-infinity', '4713-01-01 BC', '10000-01-01', '5874897-12-31'],
  '"float"': ['NaN', 'Infinity', '-Infinity'],
  '"decimal"': ['NaN'],
  '"json"': ['{"__proto__": 1}', '[1.10, -0.0]'],
  '"jsonOrNull"': ['{"a": 1, "a": 2}', ' [1,  2]\n', 'null'],
  strings: ['[5:6]={a,b}'],
  floats: ['{NaN,-Infinity}'],
  jsons: ['{"null",NULL}'],
};

/** For each model, ids that statements accept, and ids that are passed to the engine. */
export const IDS: Readonly<Record<string, Values & { readonly table: string }>> = {
  everything: {
    table: 'every thing',
    stored: [0n, 5, ...INT64],
    judged: [...NO_BIG_INTS, 1.5, '1', null, NaN],
  },
  author: { table: 'Author', stored: [0, 7, 2 ** 31 - 1], judged: [2 ** 31, 1.5, '1', null, 1n] },
  shelf: { table: 'Shelf', stored: UUIDS, judged: [...NO_UUIDS, null] },
  defaulted: {
    table: 'Defaulted',
    stored: ['', ' a ', 'a', 'A', 'é', 'e\u0301', '\u{10ffff}'],
    judged: ['a\0', '\ud800', 1, null],
  },
};

/** A value for each required column. */
export const ORDINARY = {
  bigInt: 7n,
  int: 7,
  float: 7.5,
  decimal: '7.5',
  string: 'ordinary',
  boolean: true,
  dateTime: new Date('2020-02-02T20:20:20.202Z'),
  json: { is: 'ordinary' },
  bytes: new Uint8Array([7]),
  level: 'high',
} as const;
