import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { answersTo, PASSED, times } from '../support/large-documents.ts';

const gateway = await startGateway();
const { request, database } = gateway;
const send = answersTo(gateway);
const { id } = await database.pet.create({ data: { name: 'Rex', categoryId: 1n, status: 'sold' } });

const tooComplex = (complexity: number) => ({
  status: 422,
  json: {
    errors: [
      {
        message: `The operation has a complexity of ${complexity}; at most 5000 is allowed, and the limit of a list multiplies the cost of its fields`,
        locations: [{ line: 1, column: 1 }],
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED', status: 422 },
      },
    ],
  },
});

/** As many pages of 100 whole animals, 410 each. */
const pages = (count: number) =>
  times(count, (index) => `p${index}: pets(limit: 100) { id name categoryId status }`);
/** What leaves 80 for more. */
const PAGES = pages(12);
const ids = (limit: number | string) => `pets(limit: ${limit}) { id }`;
const nodes = (size: string) => `petsConnection(${size}) { nodes { id } }`;
const FRAGMENTS = `
  fragment A on Query { ...B ...B }
  fragment B on Query { pets(limit: $n) { id ...C } }
  fragment C on Pet { name }`;

// What is allowed most, and what one more makes of it.
test.each<[string, number, (n: number) => string, number]>([
  ['a list of n', 70, (n) => `{ ${PAGES} ${ids(n)} }`, 5001],
  [
    'a list by the default of $n',
    70,
    (n) => `query($n: Int! = ${n}) { ${PAGES} ${ids('$n')} }`,
    5001,
  ],
  [
    'a list by the default of a variable with the name of a property of all objects',
    70,
    (n) => `query($constructor: Int! = ${n}) { ${PAGES} ${ids('$constructor')} }`,
    5001,
  ],
  ['a list of 20 by default', 3, (n) => `{ ${PAGES} pets { ${'id '.repeat(n)} } }`, 5010],
  [
    'a list of 20, as a variable is not given',
    3,
    (n) => `query($n: Int) { ${PAGES} pets(limit: $n) { ${'id '.repeat(n)} } }`,
    5010,
  ],
  [
    'a connection',
    68,
    (n) => `{ ${pages(11)} petsConnection(limit: ${n}) {
      nodes { id } edges { node { id } } pageInfo { hasNextPage }
    } }`,
    5003,
  ],
  ['the first of a connection', 35, (n) => `{ ${PAGES} ${nodes(`first: ${n}`)} }`, 5002],
  [
    'a connection of no animals, which has page info',
    69,
    (n) => `{ ${PAGES} petsConnection(first: 0) { pageInfo { ${'hasNextPage '.repeat(n)} } } }`,
    5001,
  ],
  ['one animal', 12, (n) => `{ ${PAGES} ${ids(48)} pet(id: ${id}) { ${'id '.repeat(n)} } }`, 5001],
  [
    'introspection',
    40,
    (n) =>
      `{ ${times(9, () => '__schema { description }')} ${pages(1)} ${'__typename '.repeat(n + 50)} }`,
    5001,
  ],
  [
    'what a directive leaves out',
    70,
    (n) => `{ ${PAGES} ... @skip(if: true) { ${ids(n)} } }`,
    5001,
  ],
])('what an operation costs is bounded: %s', async (_what, maximum, query, beyond) => {
  expect(await send(query(maximum))).toMatchObject(PASSED);
  expect(await send(query(maximum + 1))).toMatchObject(tooComplex(beyond));
});

test.each([
  ['a list', 70, `query($n: Int!) { ${PAGES} ${ids('$n')} }`, 5001],
  ['the last', 35, `query($n: Int!) { ${PAGES} ${nodes('limit: null, last: $n')} }`, 5002],
  [
    'a connection whose size may be any of three variables',
    35,
    `query($n: Int, $m: Int, $l: Int) { ${PAGES} ${nodes('last: $m, first: $n, limit: $l')} }`,
    5002,
  ],
  [
    'fragments, as often as they are used',
    56,
    `query($n: Int!) { ${pages(11)} ...A ...A } ${FRAGMENTS}`,
    5006,
  ],
])('what an operation costs is bounded with its variables: %s', async (_what, n, query, beyond) => {
  expect(await send(query, { n })).toMatchObject(PASSED);
  expect(await send(query, { n: n + 1 })).toMatchObject(tooComplex(beyond));
});

test('adding an animal costs a hundred times as much as a field', async () => {
  const create = 'createPet(input: { name: "Rex", categoryId: 1 }) { id }';
  expect(await send(`mutation { ${times(50, () => create)} }`)).toMatchObject(tooComplex(5050));
  expect(await database.pet.count()).toBe(1);
  expect(await send(`mutation { ${times(49, () => create)} }`)).toMatchObject(PASSED);
  expect(await database.pet.count()).toBe(2);
});

test('a limit that is out of bounds is told as such, however large', async () => {
  for (const limit of [-1, 0, 101, 2 ** 31 - 1]) {
    const { json } = await send('query($n: Int) { pets(limit: $n) { id } }', { n: limit });
    expect(json).toHaveProperty('errors.0.message', 'limit must be an integer between 1 and 100');
  }
});

test('only the operation that is executed counts', async () => {
  const query = `query A { ${PAGES} } query B { pets(limit: 100) { id } ${PAGES} }`;
  const body = (operationName: string) => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, operationName }),
  });
  expect(await request('/graphql', body('A'))).toMatchObject(PASSED);
  expect(await request('/graphql', body('B'))).toMatchObject({
    json: { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
  });
});

test('fragments that double are counted at once', async () => {
  const chain = times(
    60,
    (index) => `fragment F${index} on Query { ...F${index + 1} ...F${index + 1} }`,
  );
  const query = `query($n: Int!) { ...F0 } ${chain} fragment F60 on Query { pets(limit: $n) { id } }`;
  expect(await send(query, { n: 6 })).toMatchObject(tooComplex(16 * 2 ** 60));
});
