import { expect, test } from 'vitest';
import { startGateway, type Answer } from '../support/gateway.ts';

const INT64 = 'an integer between -9223372036854775808 and 9223372036854775807';
/** The bounds of 64 bits, and integers that a double would change. */
const IDS = [
  '-9223372036854775808',
  '-9223372036854775807',
  '-9007199254740993',
  '-1',
  '0',
  '1',
  '9007199254740993',
  '9223372036854775806',
  '9223372036854775807',
];

const { request, post, graphql, database } = await startGateway();
// The service's own sequence would never reach the ends.
await database.pet.createMany({
  data: IDS.map((id) => ({ id: BigInt(id), name: id, categoryId: 7n, status: 'sold' })),
});

const get = (parameters: Record<string, string>) =>
  request(`/graphql?${String(new URLSearchParams(parameters))}`);

const PET = 'query($id: ID!) { pet(id: $id) { id name } }';

/** Gets an animal by a variable with this JSON text. */
const petOf = (id: string) => post('/graphql', `{"query":"${PET}","variables":{"id":${id}}}`);

/** Each way to send an id. */
const WAYS: [string, (id: string) => Promise<Answer>][] = [
  ['a string variable', (id) => graphql(PET, { id })],
  ['a number variable', (id) => petOf(id)],
  ['a string literal', (id) => graphql(`{ pet(id: "${id}") { id name } }`)],
  ['an integer literal', (id) => graphql(`{ pet(id: ${id}) { id name } }`)],
  ['a string in ?variables=', (id) => get({ query: PET, variables: `{"id":"${id}"}` })],
  ['a number in ?variables=', (id) => get({ query: PET, variables: `{"id":${id}}` })],
  ['a literal in ?query=', (id) => get({ query: `{ pet(id: ${id}) { id name } }` })],
  ['the default of a variable', (id) => graphql(PET.replace('ID!', `ID! = ${id}`))],
];

test.each(WAYS)('an id in %s is exact', async (_way, ask) => {
  for (const id of IDS) {
    const { text } = await ask(id);
    expect(text).toBe(`{"data":{"pet":{"id":"${id}","name":"${id}"}}}`);
  }
});

test.each([
  ['1.0', '1'],
  ['1e0', '1'],
  ['-0', '0'],
  ['9007199254740993.0', '9007199254740993'],
  ['9.223372036854775807e18', '9223372036854775807'],
  ['-92233720368547758080e-1', '-9223372036854775808'],
])('the JSON number %s is the id %s', async (number, id) => {
  const { text } = await petOf(number);
  expect(text).toBe(`{"data":{"pet":{"id":"${id}","name":"${id}"}}}`);
});

const NOT_FOUND = {
  errors: [
    {
      message: 'There is no animal with this id',
      locations: [{ line: 1, column: 19 }],
      path: ['pet'],
      extensions: { code: 'NOT_FOUND', status: 404 },
    },
  ],
  data: { pet: null },
};

test.each(
  [
    ['"2"', '2', '""', '"abc"', '"null"', '"__proto__"', '" "', '" 1"', '"1\\n"', '"1\\u0000"'],
    ['"+1"', '"-0"', '"00"', '"007"', '"1.0"', '"1e0"', '"0x1"', '"1n"', '"1_0"', '"1,0"', '"-"'],
    ['"\u0661"', '"\uff11"', '"\\ud800"', '"1 OR 1=1"', '"9223372036854775808"', '1e19'],
    ['9223372036854775808', '-9223372036854775809', '18446744073709551617'],
    [`1${'0'.repeat(300)}`, `"${'9'.repeat(10_000)}"`, `"${'x'.repeat(10_000)}"`],
  ].flat(),
)('no animal has the id %.40s', async (id) => {
  const { status, json } = await petOf(id);
  expect([status, json]).toEqual([200, NOT_FOUND]);
});

test.each(['1.5', '0.99999999999999999999', '1e400', 'true', 'null', '[1]', '{}'])(
  'the variable %s is not an id',
  async (id) => {
    const { json } = await petOf(id);
    expect(json).toEqual({
      errors: [
        {
          message: 'id must be a string or an integer',
          locations: [{ line: 1, column: 7 }],
          extensions: {
            code: 'BAD_USER_INPUT',
            status: 400,
            faults: [{ path: ['id'], message: 'id must be a string or an integer' }],
          },
        },
      ],
    });
  },
);

const AFTER = 'query($after: ID) { pets(after: $after) { id } }';

test.each(
  [
    ['""', '"abc"', '" 1"', '"+1"', '"-0"', '"007"', '"1.0"', '"1e3"', '"\\u0000"', '"\\ud800"'],
    ['"9223372036854775808"', '"-9223372036854775809"', '9223372036854775808', '-1e19', '1e400'],
    ['1.5', 'true', '{}', '["1"]', `"${'9'.repeat(10_000)}"`],
  ].flat(),
)('after: %s is rejected, because it is not an integer', async (after) => {
  const { json } = await post('/graphql', `{"query":"${AFTER}","variables":{"after":${after}}}`);
  expect(json).toMatchObject({
    errors: [
      {
        message: `after must be ${INT64}`,
        extensions: { code: 'BAD_USER_INPUT', status: 400 },
      },
    ],
  });
  expect(json).not.toHaveProperty('data.pets');
});

test.each(IDS)('after: %s is exact', async (after) => {
  const behind = IDS.slice(IDS.indexOf(after) + 1);
  const data = JSON.stringify({ data: { pets: behind.map((id) => ({ id })) } });
  for (const given of [after, `"${after}"`]) {
    const { text } = await post('/graphql', `{"query":"${AFTER}","variables":{"after":${given}}}`);
    expect(text).toBe(data);
  }
});
