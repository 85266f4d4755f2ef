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
  option,
  record,
  string,
  tuple,
  uint8Array,
  uuid,
} from 'fast-check';
import { anyCharacter } from './any-character.ts';

const int64 = bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const int16 = integer({ min: -32768, max: 32767 });
const anyDouble = double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const anyText = (maxLength: number) =>
  string({ unit: anyCharacter, maxLength }).filter((text) => !text.includes('\0'));
const decimalOf = (whole: number, scale: number) =>
  tuple(
    bigInt({ min: -(10n ** BigInt(whole)) + 1n, max: 10n ** BigInt(whole) - 1n }),
    bigInt({ min: 0n, max: 10n ** BigInt(scale) - 1n }),
  ).map(([integers, fraction]) => {
    const digits = String(fraction).padStart(scale, '0').replace(/0+$/, '');
    return digits === '' ? String(integers) : `${integers}.${digits}`;
  });
const moment = date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
}).map((each) => each.toISOString());
const day = moment.map((each) => each.slice(0, '2026-11-22'.length));
const base64 = uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const level = constantFrom('low', 'high');
const jsonText = anyText(20);
const { json } = letrec<{ json: unknown }>((tie) => ({
  json: oneof(
    { maxDepth: 3 },
    jsonText,
    constant(null),
    boolean(),
    anyDouble,
    int64,
    array(tie('json'), { maxLength: 3 }),
    dictionary(oneof(jsonText, constant('__proto__')), tie('json'), { maxKeys: 3 }),
  ),
}));
const someJson = json.filter((value) => value !== null);
const list = { maxLength: 4 };

/** Things of `schemaOfScalars`, as JSON has them with integers of any size. */
export const things = record({
  bigInt: int64,
  bigIntOrNull: option(int64),
  int: integer(),
  intOrNull: option(int16),
  float: anyDouble,
  floatOrNull: option(anyDouble),
  decimal: decimalOf(35, 30),
  decimalOrNull: option(decimalOf(15, 5)),
  string: anyText(1000),
  stringOrNull: option(anyText(40)),
  uuidOrNull: option(uuid()),
  boolean: boolean(),
  booleanOrNull: option(boolean()),
  dateTime: moment,
  dateTimeOrNull: option(moment),
  dateOrNull: option(day),
  json: someJson,
  jsonOrNull: option(someJson),
  bytes: base64,
  bytesOrNull: option(base64),
  level,
  levelOrNull: option(level),
  strings: array(anyText(100), list),
  ints: array(int16, list),
  bigInts: array(int64, list),
  floats: array(anyDouble, list),
  decimals: array(decimalOf(35, 30), list),
  booleans: array(boolean(), list),
  dateTimes: array(moment, list),
  jsons: array(someJson, list),
  blobs: array(base64, list),
  levels: array(level, list),
});
