import {
  array,
  assert,
  asyncProperty,
  bigInt,
  constantFrom,
  integer,
  oneof,
  tuple,
} from 'fast-check';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { propertyRuns } from '../support/property-runs.ts';

const { request, post } = await startGateway();

/** Computes the 64-bit integer that a JSON number represents from its digits, or undefined if it represents none. */
function int64Said(number: string): bigint | undefined {
  const { sign, whole, fraction, exponent } =
    /^(?<sign>-?)(?<whole>\d+)(?:\.(?<fraction>\d+))?(?:[eE](?<exponent>[+-]?\d+))?$/.exec(number)
      ?.groups ?? {};
  const digits = `${whole}${fraction ?? ''}`;
  const significant = digits.replace(/0+$/, '');
  if (/^0*$/.test(digits)) {
    return 0n;
  }
  const zeros =
    Number(exponent ?? 0) - (fraction ?? '').length + digits.length - significant.length;
  if (zeros < 0 || zeros > 20) {
    return undefined;
  }
  const value = BigInt(`${sign}${significant.replace(/^0+/, '')}${'0'.repeat(zeros)}`);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** Integers around the limits of doubles and of 64-bit integers. */
const integers = oneof(
  tuple(constantFrom(2n ** 53n, 2n ** 63n, 2n ** 64n, 10n ** 15n, 0n), bigInt(-3n, 3n)).map(
    ([bound, distance]) => bound + distance,
  ),
  bigInt(-(2n ** 65n), 2n ** 65n),
);

/** Spellings of these integers with a shifted decimal point, and of numbers next to them. */
const numbers = oneof(
  tuple(integers, integer({ min: 0, max: 25 }), constantFrom('', '.0', '.5', '.000000000001')).map(
    ([value, shift, fraction]) =>
      fraction === ''
        ? `${value}${value === 0n ? '' : '0'.repeat(shift)}e-${shift}`
        : `${value}${fraction}`,
  ),
  tuple(integers, integer({ min: -400, max: 400 })).map(([value, shift]) => `${value}E${shift}`),
  constantFrom('-0', '0e999999999999', '1e-999999999999', '-1E+0400', '0.1e1', '-0.0e-0'),
);

/** Spellings that are easily read as a different number. */
const SPELLINGS = [
  '9'.repeat(1000),
  `0.${'0'.repeat(500)}7e501`,
  `7${'0'.repeat(250)}e-250`,
  ...'0 -0 -0.0 0e5 0e-9 0e-999999999 1e2 1E2 1E+2 100e-2 5.0 -1.50e1 9007199254740993'.split(' '),
  ...'9007199254740993.0 -9007199254740993e0 90071992547409930e-1 9223372036854775807'.split(' '),
  ...'9223372036854775807.0 9223372036854775807000e-3 922337203685477580.7e1'.split(' '),
  ...'9.223372036854775807E18 -9223372036854775808 -9.223372036854775808e+18'.split(' '),
  ...'5.5 -0.5 0.99999999999999999999 9007199254740992.5 9223372036854775807.5 15e-1'.split(' '),
  ...'9223372036854775807.0000000000000000001 1000000000000000.0000000000000000001'.split(' '),
  ...'1e-400 -1e-400 1e-999999999 9223372036854775808 -9223372036854775809 1e19'.split(' '),
  ...'9223372036854775808.0 18446744073709551616 -1e308 1.5e300 1e400 -1e400 1e999999999'.split(
    ' ',
  ),
];
/** Makes a body so long that it is read in a different way. */
const PADDING = `"x":"${'x'.repeat(5000)}"`;

const BESIDE = String.raw`"y":[1.5,1e400,-1e-400,9223372036854775808,"1.5e3 \" 12345678901234567"],"__proto__":9e18`;

/** Members beside a number with which the parser must not confuse it. */
const others = array(
  constantFrom(
    '"\\u0065":9007199254740993',
    '"__proto__":{"categoryId":9007199254740993}',
    '"1e5":"9007199254740993"',
    '"\\"":[[],{"":1E400},-0]',
    '"categoryId":9007199254740992',
    BESIDE,
    '"😀\\ud83d":[9007199254740992,9223372036854775808.5,18446744073709551616]',
  ),
  { maxLength: 4 },
);

test('both APIs read a number exactly or reject it, however it is spelled', async () => {
  await assert(
    asyncProperty(numbers, others, async (number, beside) => {
      const members = [...beside, `"categoryId":${number}`].join(',');
      const said = int64Said(number);
      const rest = await post('/v1/pets', `{"name":"Rex",${members}}`);
      const [status, part] =
        said === undefined
          ? [400, 'categoryId must be an integer']
          : [201, `"categoryId":${said},`];
      expect([rest.status, rest.text]).toEqual([status, expect.stringContaining(part)]);

      const query = 'query($categoryId: ID!) { pets(after: $categoryId, limit: 1) { id } }';
      const search = new URLSearchParams({ query, variables: `{${members}}` });
      const graphql = [
        await post('/graphql', `{"query":"${query}","variables":{${members}}}`),
        await request(`/graphql?${String(search)}`),
      ];
      const told = said === undefined ? 'after must be an integer' : '{"data":{"pets":[';
      expect(graphql.map(({ text }) => text)).toEqual([
        expect.stringContaining(told),
        expect.stringContaining(told),
      ]);
    }),
    {
      ...propertyRuns(230),
      examples: SPELLINGS.flatMap((number) => [
        [number, []],
        [number, [PADDING, BESIDE]],
      ]),
    },
  );
});

const rounded = (count: number) => `[${'9e18,'.repeat(count)}1.5e300]`;
const QUERY = 'query($after: ID) { pets(after: $after, limit: 1) { id } }';
const variablesOf = (count: number) => `{"after":1e15,"x":${rounded(count)}}`;

test.each([
  [
    'a REST body',
    (count: number) => post('/v1/pets', `{"name":"Rex","categoryId":1,"x":${rounded(count)}}`),
    '"name":"Rex"',
  ],
  [
    'a GraphQL body',
    (count: number) => post('/graphql', `{"query":"${QUERY}","variables":${variablesOf(count)}}`),
    '{"data":{"pets":[]}}',
  ],
  [
    'a GraphQL query string',
    (count: number) =>
      request(
        `/graphql?${new URLSearchParams({ query: QUERY, variables: variablesOf(count) }).toString()}`,
      ),
    '{"data":{"pets":[]}}',
  ],
])('%s may have at most 1000 numbers that a double would round', async (_, ask, answer) => {
  expect((await ask(1000)).text).toContain(answer);
  const { status, text } = await ask(1001);
  const message = 'The JSON has more than 1000 numbers that a double would round';
  expect([status, text]).toEqual([400, expect.stringContaining(`"message":"${message}"`)]);
});
