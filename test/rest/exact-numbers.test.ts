import { expect, test } from 'vitest';
import { restAnimal } from '../support/animals.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';

const { post, request } = await startGateway();

const send = async (body: string): Promise<readonly [number, string]> => {
  const { status, text } = await post('/v1/pets', body);
  return [status, text.replace(/(?<="id":)\d+/, '1')];
};

/** Bodies longer than most are read in another way. */
const PADDING = `"x":"${'x'.repeat(5000)}"`;

test.each([
  ['9007199254740993', '9007199254740993'],
  ['9007199254740993.0', '9007199254740993'],
  ['-9.223372036854775808e18', '-9223372036854775808'],
  ['90071992547409930e-1', '9007199254740993'],
  ['1E2', '100'],
  ['0e-9', '0'],
])('a long body may have the integer %s, beside numbers that are none', async (sent, kept) => {
  const others = `"y":[1.5,1e400,-1e-400,9223372036854775808,"1.5e3 \\" 12345678901234567"],"__proto__":9e18`;
  const [status, text] = await send(
    `{${PADDING},${others},"name":"\\"1e3\\",9007199254740993","categoryId":${sent}}`,
  );
  expect([status, text]).toEqual([
    201,
    restAnimal({ id: 1, name: '"1e3",9007199254740993', categoryId: kept }),
  ]);
});

test.each([
  '1.5',
  '1e-400',
  '9007199254740992.5',
  '1000000000000000.0000000000000000001',
  '9223372036854775808',
  '18446744073709551616',
  '1.5e300',
  '1e400',
])('a long body may not have %s for an integer', async (sent) => {
  const [status, text] = await send(`{${PADDING},"name":"Rex","categoryId":${sent}}`);
  expect([status, text]).toEqual([400, expect.stringContaining('categoryId must be an integer')]);
});

const bodyOf = (numbers: number) =>
  `{"name":"Rex","categoryId":1,"x":[${'9e18,'.repeat(numbers)}1.5e300]}`;

test('a body may have 1000 numbers that doubles would round, and no more', async () => {
  expect(await send(bodyOf(1000))).toEqual([201, expect.stringContaining('"Rex"')]);
  expect(await send(bodyOf(1001))).toEqual([
    400,
    errorBody(
      400,
      'BAD_USER_INPUT',
      'The JSON has more than 1000 numbers that a double would round',
    ),
  ]);
});

const QUERY = 'query($after: ID) { pets(after: $after, limit: 1) { id } }';
const variablesOf = (numbers: number) => `{"after":1e15,"x":[${'9e18,'.repeat(numbers)}1]}`;

test.each([
  [
    'a body',
    (numbers: number) =>
      post('/graphql', `{"query":"${QUERY}","variables":${variablesOf(numbers)}}`),
  ],
  [
    'an address',
    (numbers: number) =>
      request(
        `/graphql?${new URLSearchParams({ query: QUERY, variables: variablesOf(numbers) }).toString()}`,
      ),
  ],
])('the variables of GraphQL may have as many in %s', async (_where, ask) => {
  expect(await ask(1000)).toMatchObject({ status: 200, json: { data: { pets: [] } } });
  expect(await ask(1001)).toMatchObject({
    status: 400,
    json: {
      errors: [{ message: 'The JSON has more than 1000 numbers that a double would round' }],
    },
  });
});
