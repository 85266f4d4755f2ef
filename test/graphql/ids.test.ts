import { expect, test } from 'vitest';
import { errorBody } from '../support/error-body.ts';
import { startGateway, type Answer } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';

const INT64 = 'an integer between -9223372036854775808 and 9223372036854775807';
/** Ids from the lower to the upper 64-bit bound, including integers that a double cannot represent. */
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

const gateway = await startGateway();
const { request, post, graphql, database } = gateway;
// The id sequence would never reach the bounds.
await database.pet.createMany({
  data: IDS.map((id) => ({ id: BigInt(id), name: id, categoryId: 7n, status: 'sold' })),
});

const get = (parameters: Record<string, string>) =>
  request(`/graphql?${String(new URLSearchParams(parameters))}`);

const PET = 'query($id: ID!) { pet(id: $id) { id name } }';

/** Gets an animal by an id variable with this JSON text. */
const petOf = (id: string) => post('/graphql', `{"query":"${PET}","variables":{"id":${id}}}`);

/** Each way to send an id. */
const WAYS: [string, (id: string) => Promise<Answer>][] = [
  ['a string variable', (id) => graphql(PET, { id })],
  ['a number variable', (id) => petOf(id)],
  ['a number variable in a different notation', (id) => petOf(id === '0' ? '-0' : `${id}.0e0`)],
  ['a string literal', (id) => graphql(`{ pet(id: "${id}") { id name } }`)],
  ['an integer literal', (id) => graphql(`{ pet(id: ${id}) { id name } }`)],
  ['a string in ?variables=', (id) => get({ query: PET, variables: `{"id":"${id}"}` })],
  ['a number in ?variables=', (id) => get({ query: PET, variables: `{"id":${id}}` })],
  ['a literal in ?query=', (id) => get({ query: `{ pet(id: ${id}) { id name } }` })],
  ['the default value of a variable', (id) => graphql(PET.replace('ID!', `ID! = ${id}`))],
];

test.each(IDS)(
  'REST finds the animal with id %s, whether or not the id is percent-encoded',
  async (id) => {
    for (const spelling of [id, id.replaceAll(/\d/g, '%3$&')]) {
      const { json, text } = await request(`/v1/pets/${spelling}`);
      expect([json, text]).toEqual([
        expect.objectContaining({ name: id }),
        expect.stringContaining(`{"id":${id},`),
      ]);
    }
  },
);

test.each(WAYS)('an id sent as %s is read exactly', async (_way, ask) => {
  for (const id of IDS) {
    const { text } = await ask(id);
    expect(text).toBe(`{"data":{"pet":{"id":"${id}","name":"${id}"}}}`);
  }
});

const NO_ANIMAL = 'There is no animal with this id';
const NOT_FOUND = {
  errors: [
    {
      message: NO_ANIMAL,
      locations: [{ line: 1, column: 19 }],
      path: ['pet'],
      extensions: { code: 'NOT_FOUND', status: 404 },
    },
  ],
  data: { pet: null },
};

test.each([
  '9'.repeat(400),
  'x'.repeat(7000),
  ...' 1| |1\n|1 OR 1=1|\0|1\0|\n|/|..|🐈|\u0661|\uff11'.split('|'),
  ...'2 +1 -0 00 007 1.0 1. 1e0 1e400 0x1 1n 1_0 1,0 "1" - . null NaN abc __proto__ {petId}'.split(
    ' ',
  ),
  ...'9223372036854775808 -9223372036854775809 18446744073709551617'.split(' '),
])('the id %.40j is not found in either API', async (id) => {
  const rest = await nodeRequest(gateway, `/v1/pets/${encodeURIComponent(id).replace('.', '%2e')}`);
  expect([rest.status, rest.text]).toEqual([404, errorBody(404, 'NOT_FOUND', NO_ANIMAL)]);
  const { status, json } = await petOf(JSON.stringify(id));
  expect([status, json]).toEqual([200, NOT_FOUND]);
});

test.each(['""', '"\\ud800"', '2', '9223372036854775808', '-9223372036854775809', '1e19'])(
  'the id %s is not found in GraphQL',
  async (id) => {
    expect((await petOf(id)).json).toEqual(NOT_FOUND);
  },
);

test.each(['1.5', '0.99999999999999999999', '1e400', 'true', 'null', '[1]', '{}'])(
  'the variable %s is rejected, because an id must be a string or an integer',
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
)('after: %s is rejected, because it is not a 64-bit integer', async (after) => {
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

test.each(IDS)('after: %s returns exactly the animals with larger ids', async (after) => {
  const behind = IDS.slice(IDS.indexOf(after) + 1);
  const data = JSON.stringify({ data: { pets: behind.map((id) => ({ id })) } });
  for (const given of [after, `"${after}"`]) {
    const { text } = await post('/graphql', `{"query":"${AFTER}","variables":{"after":${given}}}`);
    expect(text).toBe(data);
  }
});
