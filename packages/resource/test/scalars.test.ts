import {
  graphql,
  GraphQLFloat,
  GraphQLID,
  isScalarType,
  parse,
  validate,
  type ExecutionResult,
} from 'graphql';
import { expect, test } from 'vitest';
import { createExecute } from '@store-gateway/graphql/execution';
import { parseExactly, isJsonObject } from '@store-gateway/ops';
import { loansSchema } from './loans.ts';

const schema = loansSchema();
const execute = createExecute(schema, { services: {} });

/** The result of a field that returns its argument, for a variable with this JSON text. */
async function same(type: string, json: string): Promise<ExecutionResult> {
  const document = parse(`query($value: ${type}!) { same${type}(value: $value) }`);
  const variableValues = parseExactly(`{"value":${json}}`);
  return execute(
    { document, variableValues: isJsonObject(variableValues) ? variableValues : {} },
    { caller: undefined, idempotencyKey: undefined },
  );
}

const MAX = '9223372036854775807';

/** Values as JSON, and the returned JSON if it differs. Values of all types are in test/database/scalars.test.ts. */
test.each([
  ['BigInt', `-${MAX}`, `"-${MAX}"`],
  ['BigInt', '"-9223372036854775808"'],
  ['BigInt', '0', '"0"'],
  ['Bytes', '""'],
  ['Bytes', '"+/8="'],
  ['Decimal', '"123456789012345.12345"'],
  ['Decimal', '"-0.5"'],
  ['Float', '100000000000000000'],
  ['Float', '5e-324'],
  ['Json', `{"a":[${MAX},1.5,null,true,"é"]}`],
  ['Json', '{"__proto__":{"a":1}}'],
  ['Json', '-9007199254740993'],
  ['Json', '[{}, [], ""]', '[{},[],""]'],
  ['Date', '"2024-02-29"'],
  ['DateTime', '"2026-11-22T09:30:00Z"', '"2026-11-22T09:30:00.000Z"'],
  ['DateTime', '"2026-11-22t09:30:00.1z"', '"2026-11-22T09:30:00.100Z"'],
  ['DateTime', '"2026-11-22T09:30:00.123000Z"', '"2026-11-22T09:30:00.123Z"'],
  ['DateTime', '"2026-11-22T09:30:00+05:45"', '"2026-11-22T03:45:00.000Z"'],
  ['DateTime', '"2026-11-22T00:30:00-23:59"', '"2026-11-23T00:29:00.000Z"'],
  ['DateTime', '"2026-11-22T09:30:00-00:00"', '"2026-11-22T09:30:00.000Z"'],
  ['DateTime', '"2024-02-29T23:59:59.999Z"'],
  ['DateTime', '"0001-01-01T00:00:00Z"', '"0001-01-01T00:00:00.000Z"'],
  ['DateTime', '"0000-12-31T23:00:00-01:00"', '"0001-01-01T00:00:00.000Z"'],
  ['DateTime', '"9999-12-31T23:59:59.999Z"'],
])('%s accepts %s exactly, as a variable and as a literal', async (type, json, returned = json) => {
  const expected = `{"data":{"same${type}":${returned}}}`;
  expect(JSON.stringify(await same(type, json))).toBe(expected);
  // graphql-js drops the member `__proto__` from a literal.
  const literal = json.includes('__proto__') ? '{}' : json.replaceAll(/"(\w+)":/g, '$1:');
  const source = `{ same${type}(value: ${literal}) }`;
  expect(JSON.stringify(await graphql({ schema, source }))).toBe(
    literal === '{}' ? `{"data":{"same${type}":{}}}` : expected,
  );
});

const texts = (lines: string) => lines.split(/\s+/).map((text) => JSON.stringify(text));

const NO_TIMES = [
  // Days and times that don't exist.
  ...texts(`2026-02-30T00:00:00Z 2025-02-29T00:00:00Z 2026-04-31T00:00:00Z 2026-13-01T00:00:00Z
    2026-00-01T00:00:00Z 2026-11-22T24:00:00Z 2026-11-22T09:60:00Z 2016-12-31T23:59:60Z`),
  // Years outside 1 to 9999.
  ...texts(`0000-01-01T00:00:00Z 0001-01-01T00:00:00+00:01 9999-12-31T23:59:59-00:01
    10000-01-01T00:00:00Z +010000-01-01T00:00:00Z -000001-01-01T00:00:00Z`),
  // Other formats.
  ...texts(`2026-11-22T09:30:00 2026-11-22T09:30Z 2026-11-22 2026-11-22T09:30:00.Z now
    2026-11-22T09:30:00,5Z 2026-11-22T09:30:00.1234Z 2026-11-22T09:30:00+24:00
    2026-11-22T09:30:00+01:60 2026-11-22T09:30:00+0100 2026-11-22T09:30:00+01 ٢٠٢٦-11-22T09:30:00Z`),
  ...['2026-11-22 09:30:00Z', ' 2026-11-22T09:30:00Z', '2026-11-22T09:30:00Z\n', '', 0, true].map(
    (given) => JSON.stringify(given),
  ),
];

/** The format that the error messages for a type require. */
const FORMS: Readonly<Record<string, string>> = {
  Date: 'a date such as 2026-11-22',
  DateTime:
    'a point in time with its offset and at most milliseconds, in the years 1 to 9999, such as 2026-11-22T09:30:00.125Z',
};

test.each([
  ['Date', ...texts('2026-02-29 2026-11-22T00:00:00Z 0000-01-01 22.11.2026'), '""'],
  ['DateTime', ...NO_TIMES],
  ['BigInt', '9223372036854775808', '9007199254740992.5', '"01"', '"1e3"', '""', 'true', '{}'],
  ['Bytes', '"AAEC="', '"AAE"', '"AAF="', '"-_8="', '" AAEC"', '1', '[1]'],
  ['Decimal', '1.5', '"1e3"', '"1."', '".5"', '"NaN"', '"1.123456"', '"1234567890123456"'],
  ['Float', '"1"', '1e400', 'true'],
  ['Json', '"\\u0000"', '{"\\u0000":1}', '["\\ud800"]', '1e400', '[9007199254740992.5]', 'null'],
])(
  '%s rejects invalid values with an error that names the argument',
  async (type = '', ...values) => {
    for (const json of values) {
      const { errors } = await same(type, json);
      expect([json, errors]).toMatchObject([
        json,
        [{ extensions: { code: 'BAD_USER_INPUT', faults: [{ path: ['value'] }] } }],
      ]);
      expect(errors?.[0]?.message).toMatch(/^value must be (?:an? |bytes |JSON )/);
      expect(errors?.[0]?.message).toContain(FORMS[type] ?? '');
    }
  },
);

test.each([
  ['sameBigInt', '9223372036854775808'],
  ['sameBytes', '"?"'],
  ['sameDecimal', '1.5'],
  ['sameJson', '{ a: $value }'],
  ['sameJson', '[red]'],
])('%s rejects the literal %s during validation', (field, literal) => {
  const variable = literal.includes('$') ? '($value: Json)' : '';
  const document = parse(`query ${variable} { ${field}(value: ${literal}) }`);
  expect(validate(schema, document)).toHaveLength(1);
});

test("ID and Float accept bigints in a schema that the plugin built; graphql-js's own scalars are unchanged", () => {
  const [ID, Float] = ['ID', 'Float'].map((name) => schema.getType(name));
  expect([ID, Float].map((type) => isScalarType(type) && type.parseValue(2n ** 62n))).toEqual([
    '4611686018427387904',
    2 ** 62,
  ]);
  expect(isScalarType(ID) && ID.serialize(2n ** 62n)).toBe('4611686018427387904');
  expect(() => GraphQLID.parseValue(1n)).toThrow('ID cannot represent value');
  expect(() => GraphQLFloat.parseValue(1n)).toThrow('Float cannot represent');
});

test('an enum value can have a different internal value in resolvers', async () => {
  const source = '{ sizeInNumbers(size: LARGE) }';
  expect(await graphql({ schema, source })).toEqual({ data: { sizeInNumbers: 2 } });
});
