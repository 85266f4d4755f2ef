import { getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { addDelicatePets, executedThrice, type Sent } from '../support/executed-thrice.ts';
import { startGateway } from '../support/gateway.ts';

/* Fixed documents that are sent repeatedly. compiled-execution-property.test.ts generates selections and variables. */

const gateway = await startGateway();
await addDelicatePets(gateway);

const IF = 'query($yes: Boolean!, $no: Boolean!)';
const AB = 'query A($n: Int) { pets(limit: $n) { id } } query B { __typename }';
const PARTS = '{ name: $name, categoryId: $categoryId, status: sold }';

/** Each document with a part of its expected answer, so that equal but wrong answers do not pass. */
test.each<[string, string, Sent?]>([
  [
    '{ pets(limit: 1) { id } ...Q pets(limit: 1) { name ...F } } fragment F on Pet { x: id id } fragment Q on Query { pets(limit: 1) { status } }',
    '"x":"1"',
  ],
  [
    '{ a: pets(limit: 1) { b: id c: id } id: pets(limit: 2) { name: status } }',
    '{"a":[{"b":"1","c":"1"}],"id":[{"name":"pending"},{"name":"sold"}]}',
  ],
  [
    '{ pets(limit: 1) { ... { id } ... on Pet { name } ... @include(if: false) { status } } }',
    '"name"',
  ],
  ['{ pets @skip(if: true) { id } }', '{"data":{}}'],
  [
    `${IF} { ...Q @include(if: $no) ... @skip(if: $no) { ... @include(if: $yes) { b: __typename } } } fragment Q on Query { a: pets { id } }`,
    '{"data":{"b":"Query"}}',
    { variables: '{"yes":true,"no":false}' },
  ],
  [
    'query($b: Boolean = false) { a: __typename @include(if: $b) b: __typename @skip(if: $b) }',
    '{"b":"Query"}',
  ],
  [getIntrospectionQuery(), '"queryType":{"name":"Query"'],
  [
    'query($n: String!) { __type(name: $n) { name fields(includeDeprecated: true) { name isDeprecated } } pets(limit: 1) { id } }',
    '"isDeprecated":true',
    { variables: '{"n":"Query"}' },
  ],
  [AB, '"pets":[{"id":"1"},{"id":"2"}]', { operationName: 'A', variables: '{"n":2}' }],
  [AB, '{"data":{"__typename":"Query"}}', { operationName: 'B', variables: '{"n":"x"}' }],
  [AB, 'errors', { operationName: 'C' }],
  [AB, 'errors'],
  ['query($n: Int = 0) { a: pets(limit: $n) { id } b: pets(limit: 1) { id } }', 'limit must be'],
  [
    '{ a: pet(id: 0) { id } b: pet(id: 1) { id } c: pets(limit: 1) { id } }',
    '"data":{"a":null,"b":{"id":"1"},"c":[{"id":"1"}]}',
  ],
  ['query($a: ID = 3) { pets(limit: 1, ids: [$a]) { id } }', '"id":"3"'],
  ['query($a: ID = 3) { pets(ids: [$a]) { id } }', 'ids must be', { variables: '{"a":null}' }],
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
    { variables: '{"name":"\\"\\u2028","categoryId":9007199254740993}' },
  ],
  [
    `mutation($name: String!, $categoryId: ID!) { createPet(input: ${PARTS}) { id } }`,
    'categoryId must be',
    { variables: '{"name":"x","categoryId":1.5}' },
  ],
  [
    'mutation($i: NewPet!) { createPet(input: $i) { id categoryId status } }',
    '"status":"available"',
    { variables: '{"i":{"name":"x","categoryId":9007199254740993}}' },
  ],
  [
    'mutation($i: NewPet!) { createPet(input: $i) { id } }',
    'colour is not a field of NewPet',
    { variables: '{"i":{"name":"x","categoryId":1,"colour":1}}' },
  ],
  [
    'mutation($no: Boolean!) { createPet(input: { name: "x", categoryId: 1 }) @include(if: $no) { id } __typename }',
    '{"data":{"__typename":"Mutation"}}',
    { variables: '{"no":false}' },
  ],
])(
  '%s has the same result, containing %s, interpreted and compiled: %o',
  async (query, has, sent = {}) => {
    const { text } = await executedThrice(gateway, query, sent);
    expect(text).toContain(has);
  },
);

test("operations that share a fragment don't share its conditions", async () => {
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

function addition(field: string, name: string, key = ''): string {
  return `${field}: createPet(input: { name: "${name}", categoryId: 78 }${key}) { name }`;
}

test('a mutation runs its fields in order and exactly once, even if one of them fails', async () => {
  const key = ', idempotencyKey: "k"';
  const keyed = [addition('a', 'first', key), addition('again', 'another', key)];
  const others = [addition('b', 'second'), addition('c', 'third')];
  const { text } = await executedThrice(gateway, `mutation { ${[...keyed, ...others].join(' ')} }`);
  expect(text).toContain('"path":["again"]');
  const added = await gateway.database
    .$queryRaw`SELECT name FROM pets WHERE category_id = 78 ORDER BY id`;
  const each = [{ name: 'second' }, { name: 'third' }];
  expect(added).toEqual([{ name: 'first' }, ...each, ...each, ...each]);
});
