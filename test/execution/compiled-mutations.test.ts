import { expect, test } from 'vitest';
import { addDelicatePets, executedThrice } from '../support/executed-thrice.ts';
import { startGateway } from '../support/gateway.ts';

const gateway = await startGateway();
await addDelicatePets(gateway);

const PARTS = '{ name: $name, categoryId: $categoryId, status: sold }';

test.each<[string, string, string?]>([
  [
    'mutation { a: createPet(input: { name: "a", categoryId: 9007199254740993 }) { name categoryId status } b: createPet(input: { name: "b", categoryId: -1, status: sold }) { ...F } } fragment F on Pet { name status }',
    '{"a":{"name":"a","categoryId":"9007199254740993","status":"available"},"b":{"name":"b","status":"sold"}}',
  ],
  [
    'mutation { a: createPet(input: { name: "", categoryId: 1 }) { id } b: createPet(input: { name: "b", categoryId: 1 }) { id } }',
    'name must be',
  ],
  [
    `mutation($name: String!, $categoryId: ID!) { createPet(input: ${PARTS}) { id again: id name status } }`,
    '"name":"\\"\u2028"',
    '{"name":"\\"\\u2028","categoryId":9007199254740993}',
  ],
  [
    `mutation($name: String!, $categoryId: ID!) { createPet(input: ${PARTS}) { id } }`,
    'categoryId must be',
    '{"name":"x","categoryId":1.5}',
  ],
  [
    'mutation($i: NewPet!) { createPet(input: $i) { id categoryId status } }',
    '"status":"available"',
    '{"i":{"name":"x","categoryId":9007199254740993}}',
  ],
  [
    'mutation($i: NewPet!) { createPet(input: $i) { id } }',
    'colour is not a field of NewPet',
    '{"i":{"name":"x","categoryId":1,"colour":1}}',
  ],
  [
    'mutation($no: Boolean!) { createPet(input: { name: "x", categoryId: 1 }) @include(if: $no) { id } __typename }',
    '{"data":{"__typename":"Mutation"}}',
    '{"no":false}',
  ],
])('%s is answered alike, with %s, as it is and compiled', async (query, has, variables = '{}') => {
  const { text } = await executedThrice(gateway, query, { variables });
  expect(text).toContain(has);
});

test('operations of one document that share a fragment know nothing of each other’s conditions', async () => {
  const query = `query A($x: Boolean!) { pets(limit: 1) { ...F @include(if: $x) } }
    query B { pets(limit: 1) { ...F } } fragment F on Pet { id }`;
  const send = async (operationName: string, variables: object) => {
    const { text } = await gateway.post('/graphql', { query, operationName, variables });
    return text;
  };
  for (const round of [1, 2, 3]) {
    const answers = [
      await send('A', { x: false }),
      await send('A', { x: true }),
      await send('B', {}),
    ];
    const whole = '{"data":{"pets":[{"id":"1"}]}}';
    expect([round, ...answers]).toEqual([round, '{"data":{"pets":[{}]}}', whole, whole]);
  }
});

/** Two whose names begin alike share their idempotency key. */
const add = (field: string, name: string) =>
  `${field}: createPet(input: { name: "${name}", categoryId: 78 }, idempotencyKey: "${field[0]}") { name }`;

test('a failed field of a mutation keeps no other from being executed, however often it was sent', async () => {
  const { text } = await executedThrice(
    gateway,
    `mutation { ${add('a', 'first')} ${add('again', 'another')} ${add('behind', 'behind')} }`,
  );
  expect(text).toContain('"path":["again"]');
  const added = await gateway.database
    .$queryRaw`SELECT name FROM pets WHERE category_id = 78 ORDER BY id`;
  expect(added).toEqual([{ name: 'first' }, { name: 'behind' }]);
});

test('a mutation adds one after the other, and each once', async () => {
  const names = ['first', 'second', 'third'];
  const fields = names.map(
    (name) => `${name}: createPet(input: { name: "${name}", categoryId: 77 }) { name }`,
  );
  await executedThrice(gateway, `mutation { ${fields.join(' ')} }`);
  const added = await gateway.database
    .$queryRaw`SELECT name FROM pets WHERE category_id = 77 ORDER BY id`;
  expect(added).toEqual([...names, ...names, ...names].map((name) => ({ name })));
});
