import { schema } from '../support/store.ts';
import { assertInputObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';

const NAME = 'name must be a string of 1 to 255 characters, without NUL or unpaired surrogates';
const CATEGORY_ID =
  'categoryId must be an integer between -9223372036854775808 and 9223372036854775807';
const STATUS = 'status must be one of available, pending, sold';
const LIMIT = 'limit must be an integer between 1 and 100';

const { graphql, post, database } = await startGateway();

const members = Object.keys(assertInputObjectType(schema.getType('NewPet')).getFields());

const WHOLE = 'mutation($pet: NewPet!) { createPet(input: $pet) { id } }';
const PARTS = `mutation($n: String!, $c: ID!, $s: PetStatus!) {
  createPet(input: { name: $n, categoryId: $c, status: $s }) { id }
}`;
const inNewPet = (message: string) => ({ path: ['input', message.split(' ')[0]], message });

test.each<[string, string, object | undefined, { path: unknown[]; message: string }[]]>([
  [
    'values within their types, by the resolver',
    WHOLE,
    { pet: { name: '', categoryId: 'x' } },
    [NAME, CATEGORY_ID].map(inNewPet),
  ],
  [
    'a value of a wrong type and one that is missing, by coercion',
    WHOLE,
    { pet: { categoryId: 5.5 } },
    [NAME, CATEGORY_ID].map(inNewPet),
  ],
  [
    'a field that there is not',
    WHOLE,
    { pet: { name: 'Rex', categoryId: 1, colour: 'red' } },
    [{ path: ['input', 'colour'], message: 'colour is not a field of NewPet' }],
  ],
  [
    'no input at all',
    WHOLE,
    {},
    [{ path: ['input'], message: `input must be an object with ${members.join(', ')}` }],
  ],
  [
    'variables for the fields',
    PARTS,
    { n: '', c: 'x', s: 'lost' },
    [NAME, CATEGORY_ID, STATUS].map(inNewPet),
  ],
  [
    'literals',
    'mutation { createPet(input: { name: "", categoryId: "x" }) { id } }',
    undefined,
    [NAME, CATEGORY_ID].map(inNewPet),
  ],
  [
    'arguments',
    'query($l: Int, $s: PetStatus) { pets(limit: $l, status: $s) { id } }',
    { l: 0, s: 'lost' },
    [LIMIT, STATUS].map((message) => ({ path: [message.split(' ')[0]], message })),
  ],
])('each fault is told with the path of its input: %s', async (_what, query, variables, faults) => {
  // The third time by a compiled program.
  for (let time = 1; time <= 3; time += 1) {
    const { json } = await graphql(query, variables);
    const message = faults.map((fault) => fault.message).join('; ');
    expect(json).toMatchObject({ errors: [{ message, extensions: { faults } }] });
  }
  expect(await database.pet.count()).toBe(0);
});

test('of a thousand faults the first 20 are told', async () => {
  const fields = Array.from({ length: 1000 }, (_, index) => [`f${index}`, 1] as const);
  const pet = { name: 'Rex', categoryId: 1, ...Object.fromEntries(fields) };
  const { json } = await graphql(WHOLE, { pet });
  const told = fields.slice(0, 20).map(([name]) => ({
    path: ['input', name],
    message: `${name} is not a field of NewPet`,
  }));
  expect(json).toMatchObject({
    errors: [
      { message: told.map(({ message }) => message).join('; '), extensions: { faults: told } },
    ],
  });
});

test("REST's body stays what the contract says: code, message and status", async () => {
  const { status, json } = await post('/v1/pets', { name: '', categoryId: 'x' });
  expect([status, json]).toEqual([
    400,
    { code: 'BAD_USER_INPUT', message: `${NAME}; ${CATEGORY_ID}`, status: 400 },
  ]);
});
