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
import { RULES, shopSchema } from './shop.ts';

const schema = shopSchema();
const execute = createExecute(schema, { services: {} });

/** What a field returns of JSON that is sent as a variable: JSON again. */
async function same(type: string, json: string): Promise<ExecutionResult> {
  const document = parse(`query($value: ${type}!) { same${type}(value: $value) }`);
  const variableValues = parseExactly(`{"value":${json}}`);
  return execute(
    { document, variableValues: isJsonObject(variableValues) ? variableValues : {} },
    { caller: undefined, idempotencyKey: undefined },
  );
}

const MAX = '9223372036854775807';

test.each([
  ['BigInt', '"9007199254740993"', '"9007199254740993"'],
  ['BigInt', `-${MAX}`, `"-${MAX}"`],
  ['BigInt', '"-9223372036854775808"', '"-9223372036854775808"'],
  ['BigInt', '0', '"0"'],
  ['Bytes', '""', '""'],
  ['Bytes', '"+/8="', '"+/8="'],
  ['Decimal', '"123456789012345.12345"', '"123456789012345.12345"'],
  ['Decimal', '"-0.5"', '"-0.5"'],
  ['Float', '100000000000000000', '100000000000000000'],
  ['Float', '5e-324', '5e-324'],
  ['Json', `{"a":[${MAX},1.5,null,true,"é"]}`, `{"a":[${MAX},1.5,null,true,"é"]}`],
  ['Json', '{"__proto__":{"a":1}}', '{"__proto__":{"a":1}}'],
  ['Json', '-9007199254740993', '-9007199254740993'],
  ['Json', '[{}, [], ""]', '[{},[],""]'],
])('%s %s is %s', async (type, given, expected) => {
  const text = JSON.stringify(await same(type, given));
  expect(text).toBe(`{"data":{"same${type}":${expected}}}`);
});

test.each([
  ['BigInt', '9223372036854775807', '"9223372036854775807"'],
  ['BigInt', '"-9223372036854775808"', '"-9223372036854775808"'],
  ['Bytes', '"AAEC"', '"AAEC"'],
  ['Decimal', '"1.5"', '"1.5"'],
  ['Json', `{ a: [${MAX}, 1.5, null, true, "é", {}] }`, `{"a":[${MAX},1.5,null,true,"é",{}]}`],
])('%s takes the literal %s exactly', async (type, literal, expected) => {
  const source = `{ same${type}(value: ${literal}) }`;
  const text = JSON.stringify(await graphql({ schema, source }));
  expect(text).toBe(`{"data":{"same${type}":${expected}}}`);
});

test.each([
  ['BigInt', '9223372036854775808'],
  ['BigInt', '"-9223372036854775809"'],
  ['BigInt', '1.5'],
  ['BigInt', '9007199254740992.5'],
  ['BigInt', '"01"'],
  ['BigInt', '"1e3"'],
  ['BigInt', '""'],
  ['BigInt', 'true'],
  ['BigInt', '{}'],
  ['Bytes', '"AAEC="'],
  ['Bytes', '"AAE"'],
  ['Bytes', '"AAF="'],
  ['Bytes', '"-_8="'],
  ['Bytes', '" AAEC"'],
  ['Bytes', '1'],
  ['Bytes', '[1]'],
  ['Decimal', '1.5'],
  ['Decimal', '"1e3"'],
  ['Decimal', '"1."'],
  ['Decimal', '".5"'],
  ['Decimal', '"NaN"'],
  ['Decimal', '"1.123456"'],
  ['Decimal', '"1234567890123456"'],
  ['Float', '"1"'],
  ['Float', '1e400'],
  ['Float', 'true'],
  ['Json', '"\\u0000"'],
  ['Json', '{"\\u0000":1}'],
  ['Json', '["\\ud800"]'],
  ['Json', '1e400'],
  ['Json', '[9007199254740992.5]'],
  ['Json', 'null'],
])('%s %s is refused in words that name the argument', async (type, given) => {
  const { errors } = await same(type, given);
  expect(errors).toMatchObject([
    { extensions: { code: 'BAD_USER_INPUT', faults: [{ path: ['value'] }] } },
  ]);
  expect(errors?.[0]?.message).toMatch(/^value must be (?:an? |bytes |JSON )/);
});

test.each([
  ['sameBigInt', '9223372036854775808'],
  ['sameBytes', '"?"'],
  ['sameDecimal', '1.5'],
  ['sameJson', '{ a: $value }'],
  ['sameJson', '[red]'],
])('%s judges the literal %s before anything is executed', (field, literal) => {
  const variable = literal.includes('$') ? '($value: Json)' : '';
  const document = parse(`query ${variable} { ${field}(value: ${literal}) }`);
  expect(validate(schema, document)).toHaveLength(1);
});

test('a decimal input without a rule, whose column would round, is refused', () => {
  const { price: _price, ...others } = RULES;
  expect(() => shopSchema(others)).toThrow('value needs the option rule, such as decimal(65, 30)');
});

test("ID and Float accept bigints in a schema of the plugin, and graphql-js's own scalars are unchanged", () => {
  const [ID, Float] = ['ID', 'Float'].map((name) => schema.getType(name));
  expect([ID, Float].map((type) => isScalarType(type) && type.parseValue(2n ** 62n))).toEqual([
    '4611686018427387904',
    2 ** 62,
  ]);
  expect(isScalarType(ID) && ID.serialize(2n ** 62n)).toBe('4611686018427387904');
  expect(() => GraphQLID.parseValue(1n)).toThrow('ID cannot represent value');
  expect(() => GraphQLFloat.parseValue(1n)).toThrow('Float cannot represent');
});
