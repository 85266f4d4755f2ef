import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';

const STATUSES = ['available', 'pending', 'sold'] as const;
const idIn = (text: string) => /"id":"(\d+)"/.exec(text)?.[1] ?? '';

const CREATE =
  'mutation($input: NewPet!) { createPet(input: $input) { id name categoryId status } }';

const { graphql } = await startGateway();

// A store of which each animal is known, more of them than any list may have.
const store = await startGateway();
const animals: { readonly id: string; readonly status: string }[] = [];
for (let categoryId = 0; categoryId < 35; categoryId += 1) {
  for (const status of STATUSES) {
    const input = { name: 'Rex', categoryId, status };
    const { text } = await store.graphql(CREATE, { input });
    animals.push({ id: idIn(text), status });
  }
}
// A row that was rewritten lies behind the others, so that only sorting brings it to its place.
await store.database.pet.updateMany({ where: { id: { lte: 9 } }, data: { name: 'Rex' } });

test('an empty store is an empty list', async () => {
  const { text } = await (await startGateway()).graphql('{ pets { id } }');
  expect(text).toBe('{"data":{"pets":[]}}');
});

test.each([
  ['{ pets { id } }', animals.slice(0, 20)],
  ['{ pets(limit: 1) { id } }', animals.slice(0, 1)],
  ['{ pets(limit: 21) { id } }', animals.slice(0, 21)],
  ['{ pets(limit: 100) { id } }', animals.slice(0, 100)],
  ['{ pets(status: null, after: null) { id } }', animals.slice(0, 20)],
  ['query($n: Int) { pets(limit: $n) { id } }', animals.slice(0, 20)],
  ['query($n: Int = 3) { pets(limit: $n) { id } }', animals.slice(0, 3)],
])('%s is the first animals by id', async (query, expected) => {
  const { text } = await store.graphql(query);
  expect(text).toBe(JSON.stringify({ data: { pets: expected.map(({ id }) => ({ id })) } }));
});

test.each(STATUSES)('status: %s is the animals of that status', async (status) => {
  const matching = animals.filter((animal) => animal.status === status);
  const all = await store.graphql(`{ pets(status: ${status}, limit: 100) { id status } }`);
  expect(all.text).toBe(JSON.stringify({ data: { pets: matching } }));
});

test.each(STATUSES)('createPet keeps what it is given, status %s included', async (status) => {
  const input = { name: ' Åda\n', categoryId: '-7', status };
  const { text } = await graphql(CREATE, { input });
  const id = idIn(text);
  expect(text).toBe(JSON.stringify({ data: { createPet: { id, ...input } } }));
  const fetched = await graphql(`{ pet(id: ${id}) { id name categoryId status } }`);
  expect(fetched.text).toBe(JSON.stringify({ data: { pet: { id, ...input } } }));
});

test.each([
  'mutation { createPet(input: { name: "Rex", categoryId: 1 }) { status } }',
  'mutation($s: PetStatus) { createPet(input: { name: "Rex", categoryId: 1, status: $s }) { status } }',
])('the status of a new animal is available if none is given: %s', async (query) => {
  const { text } = await graphql(query);
  expect(text).toBe('{"data":{"createPet":{"status":"available"}}}');
});

test('the mutations of a document are executed in their order', async () => {
  const { graphql: ask } = await startGateway();
  const { text } = await ask(`mutation {
    a: createPet(input: { name: "Ada", categoryId: 1 }) { id }
    b: createPet(input: { name: "Bob", categoryId: 1 }) { id }
    c: createPet(input: { name: "Cat", categoryId: 1 }) { id }
  }`);
  expect(text).toBe('{"data":{"a":{"id":"1"},"b":{"id":"2"},"c":{"id":"3"}}}');
});

test.each(['0', '-1', '101', '2147483647'])('limit: %s is out of bounds', async (limit) => {
  const refused = {
    errors: [
      {
        message: 'limit must be an integer between 1 and 100',
        locations: [{ line: 1, column: 3 }],
        path: ['pets'],
        extensions: {
          code: 'BAD_USER_INPUT',
          status: 400,
          faults: [{ path: ['limit'], message: 'limit must be an integer between 1 and 100' }],
        },
      },
    ],
    data: null,
  };
  const { status, json } = await graphql(`{ pets(limit: ${limit}) { id } }`);
  expect([status, json]).toEqual([200, refused]);
});
