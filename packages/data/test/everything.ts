import {
  array,
  bigInt,
  boolean,
  constant,
  constantFrom,
  date,
  dictionary,
  double,
  integer,
  letrec,
  oneof,
  record,
  string,
  tuple,
  uint8Array,
  uuid,
  type Arbitrary,
} from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { Level, Prisma } from './generated/client.ts';

const int64 = bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const text = string({ unit: anyCharacter }).filter((value) => !value.includes('\0'));
// Of more digits the engine writes another double.
const anyDouble = double({ noNaN: true, noDefaultInfinity: true })
  .map((value) => Number(value.toPrecision(15)))
  .filter(Number.isFinite);
const decimal = tuple(int64, integer({ min: 0, max: 25 })).map(
  ([digits, places]) => new Prisma.Decimal(`${digits}e-${places}`),
);
const shortDecimal = integer({ min: -1_000_000_000, max: 1_000_000_000 }).map(
  (digits) => new Prisma.Decimal(`${digits}e-5`),
);
const anyDate = date({
  min: new Date('0001-01-02T00:00:00Z'),
  max: new Date('9999-12-30T00:00:00Z'),
  noInvalidDate: true,
});
const bytes = uint8Array({ maxLength: 100 }).map((value) => new Uint8Array(value));
const level = constantFrom(Level.low, Level.high);
const jsonText = string().filter((value) => !value.includes('\0'));
// The engine loses a member of this name.
const jsonKey = jsonText.filter((value) => value !== '__proto__');
const { json } = letrec<{ json: Prisma.InputJsonValue }>((tie) => ({
  json: oneof(
    { maxDepth: 3 },
    jsonText,
    boolean(),
    anyDouble,
    integer(),
    array(tie('json'), { maxLength: 3 }),
    dictionary(jsonKey, tie('json'), { maxKeys: 3 }),
  ),
}));
const or = <Value, Other>(value: Arbitrary<Value>, other: Other) => oneof(value, constant(other));

const columns = {
  bigInt: int64,
  bigIntOrNull: or(int64, null),
  int: integer(),
  intOrNull: or(integer({ min: -32768, max: 32767 }), null),
  float: anyDouble,
  floatOrNull: or(anyDouble, null),
  decimal,
  decimalOrNull: or(shortDecimal, null),
  string: text,
  stringOrNull: or(
    string({ maxLength: 40 }).filter((value) => !value.includes('\0')),
    null,
  ),
  uuidOrNull: or(uuid(), null),
  boolean: boolean(),
  booleanOrNull: or(boolean(), null),
  dateTime: anyDate,
  dateTimeOrNull: or(anyDate, null),
  dateOrNull: or(anyDate, null),
  json: or(json, Prisma.JsonNull),
  jsonOrNull: or(or(json, Prisma.JsonNull), Prisma.DbNull),
  bytes,
  bytesOrNull: or(bytes, null),
  level,
  levelOrNull: or(level, null),
  strings: array(text),
  ints: array(integer({ min: -32768, max: 32767 })),
  bigInts: array(int64),
  floats: array(anyDouble),
  decimals: array(decimal),
  booleans: array(boolean()),
  dateTimes: array(anyDate),
  jsons: array(json),
  blobs: array(bytes),
  levels: array(level),
};

/** What a row of Everything is created with. */
export const everything = record(columns, {
  requiredKeys: [
    'bigInt',
    'int',
    'float',
    'decimal',
    'string',
    'boolean',
    'dateTime',
    'json',
    'bytes',
    'level',
  ],
});

/** What it is changed by: any of its columns. */
export const someOfEverything = record(columns, { requiredKeys: [] });
