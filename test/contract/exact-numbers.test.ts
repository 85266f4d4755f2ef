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

/** The 64-bit integer that a JSON number says, by its digits alone; undefined if it says something else. */
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

/** Around the bounds of doubles and of 64 bits. */
const integers = oneof(
  tuple(constantFrom(2n ** 53n, 2n ** 63n, 2n ** 64n, 10n ** 15n, 0n), bigInt(-3n, 3n)).map(
    ([bound, distance]) => bound + distance,
  ),
  bigInt(-(2n ** 65n), 2n ** 65n),
);

/** The same integer with its point moved, and what is next to it. */
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

/** What stands beside a number, and is not to be taken for it, nor it for that. */
const others = array(
  constantFrom(
    '"\\u0065":9007199254740993',
    '"__proto__":{"categoryId":9007199254740993}',
    '"1e5":"9007199254740993"',
    '"\\"":[[],{"":1E400},-0]',
    '"categoryId":9007199254740992',
    '"😀\\ud83d":[9007199254740992,9223372036854775808.5,18446744073709551616]',
  ),
  { maxLength: 4 },
);

test('however a number is spelled, and whatever stands beside it, it is taken for what it says or refused', async () => {
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
    propertyRuns(150),
  );
});
