import { expect, test } from 'vitest';
import { WHOLE_ANIMAL } from '../support/animals.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest, type NodeRequest } from '../support/node-request.ts';
import { createdPath } from '../support/links.ts';

const gateway = await startGateway();
const { request, post, graphql, url } = gateway;

/** 21 November 2026, the first release, in Unix seconds; the removal as an HTTP date. */
const DEPRECATION = '@1795219200';
const SUNSET = 'Thu, 05 Dec 2030 00:00:00 GMT';
const restLink = (id = '') =>
  `<../pets?${/^\d+$/.test(id) ? `id=${id}` : 'status=available'}>; rel="successor-version", <../../docs#/animals/getPet>; rel="deprecation"; type="text/html"`;
const GRAPHQL_LINK = `<graphql?query=${encodeURIComponent(`{ pets(status: available) ${WHOLE_ANIMAL} }`)}>; rel="successor-version", <docs>; rel="deprecation"; type="text/html"`;

async function addAnimal(): Promise<string> {
  return createdPath(await post('/v1/pets', { name: 'Rex', categoryId: 1 }));
}

function announcement(headers: Headers) {
  return {
    deprecation: headers.get('Deprecation'),
    sunset: headers.get('Sunset'),
    link: headers.get('Link'),
  };
}

const NONE = { deprecation: null, sunset: null, link: null };

test.each<[string, number, string, NodeRequest]>([
  ['an animal', 200, 'PET', {}],
  ['an animal that the client has', 304, 'PET', { headers: { 'If-None-Match': '*' } }],
  ['HEAD', 200, 'PET', { method: 'HEAD' }],
  ['no animal', 404, '/v1/pets/0', {}],
  ['no id', 404, '/v1/pets/%22%C3%A9', {}],
  ['no key', 401, 'PET', { headers: { Authorization: '' } }],
  ['a client that takes no JSON', 406, 'PET', { headers: { Accept: 'text/plain' } }],
])('GET /v1/pets/{petId} announces its removal: %s (%i)', async (_what, status, path, init) => {
  const target = path.replace('PET', await addAnimal());
  const answer = await nodeRequest(gateway, target, init);
  expect(answer.status).toBe(status);
  expect(announcement(answer.headers)).toEqual({
    deprecation: DEPRECATION,
    sunset: SUNSET,
    link: restLink(target.split('/').at(-1)),
  });
});

test('nothing else of REST is deprecated', async () => {
  const added = await post('/v1/pets', { name: 'Rex', categoryId: 1 });
  const other = await request(await addAnimal(), { method: 'PUT' });
  const list = await request('/v1/pets?status=sold');
  expect([added.status, other.status, list.status]).toEqual([201, 405, 200]);
  expect(announcement(added.headers)).toEqual(NONE);
  expect(announcement(other.headers)).toEqual(NONE);
  expect(announcement(list.headers)).toEqual({ ...NONE, link: list.headers.get('Link') });
  expect(list.headers.get('Link')).not.toContain('deprecation');
});

test.each([
  ['selects pet', '{ pet(id: 0) { id } }'],
  ['selects pet among others', '{ pets { id } old: pet(id: 0) { id } }'],
  ['selects pet in a fragment', '{ ...f } fragment f on Query { ... { pet(id: 0) { id } } }'],
  ['selects pet, but leaves it out', '{ pets { id } pet(id: 0) @skip(if: true) { id } }'],
])('a GraphQL response announces the removal if the operation %s', async (_what, query) => {
  const { headers } = await graphql(query);
  expect(announcement(headers)).toEqual({
    deprecation: DEPRECATION,
    sunset: SUNSET,
    link: GRAPHQL_LINK,
  });
});

test('at an address with a trailing slash, the links have the same targets', async () => {
  const { headers } = await post('/graphql/', { query: '{ pet(id: 0) { id } }' });
  expect(headers.get('Link')).toBe(GRAPHQL_LINK.replaceAll('<', '<../'));
});

test('the removal is announced by GET, as both media types, and with invalid variables', async () => {
  const query = 'query ($id: ID!) { pet(id: $id) { id } }';
  for (const Accept of ['application/json', 'application/graphql-response+json']) {
    const path = `/graphql?query=${encodeURIComponent(query)}`;
    const { headers } = await request(path, { headers: { Accept } });
    expect(headers.get('Deprecation')).toBe(DEPRECATION);
  }
});

test('the removal is announced for an operation that is too complex', async () => {
  const lists = Array.from({ length: 13 }, (_, index) => `l${index}: pets(limit: 100) { ...all }`);
  const { json, headers } = await graphql(
    `{ pet(id: 0) { id } ${lists.join(' ')} } fragment all on Pet { id name categoryId status }`,
  );
  const message: unknown = expect.stringContaining('complexity');
  expect(json).toMatchObject({ errors: [{ message }] });
  expect(headers.get('Deprecation')).toBe(DEPRECATION);
});

test.each([
  ['does not select pet', { query: '{ pets { id } }' }],
  [
    'is another one of the document',
    { query: 'query a { pets { id } } query b { pet(id: 0) { id } }', operationName: 'a' },
  ],
])('a GraphQL response announces nothing if the operation %s', async (_what, body) => {
  const { status, headers } = await post('/graphql', body);
  expect(status).toBe(200);
  expect(announcement(headers)).toEqual(NONE);
});

test('each operation of a document announces what it selects itself', async () => {
  const query = 'query a { pets { id } } query b { pet(id: 0) { id } }';
  const told = [];
  for (const operationName of ['b', 'a', 'b']) {
    const { headers } = await post('/graphql', { query, operationName });
    told.push(headers.get('Deprecation'));
  }
  expect(told).toEqual([DEPRECATION, null, DEPRECATION]);
});

test.each([
  ['GET /v1/pets/{petId}', 'the animal', (path: string) => path],
  ['pet', 'the animals that are available', () => '/graphql?query={pet(id:0){id}}'],
])('the successor of %s returns %s', async (_what, _instead, pathOf) => {
  const path = pathOf(await addAnimal());
  const { headers } = await request(path);
  const [, successor = ''] = /<([^>]*)>; rel="successor-version"/.exec(
    headers.get('Link') ?? '',
  ) ?? [''];
  const target = new URL(successor, url + path);
  const { status, text } = await request(target.pathname + target.search);
  expect(status).toBe(200);
  expect(text).toMatch(/"name":"Rex",.*"status":"available"/);
});

const REMOVAL = Date.parse('2030-12-05T00:00:00Z');
const MESSAGE =
  'This was removed on 5 December 2030. Use the list of animals with a status filter or ids instead';

let now = REMOVAL;
const removing = await startGateway({ now: () => now });

test('an animal can be fetched until the day of the removal, and then returns 410', async () => {
  const { headers, text } = await removing.post('/v1/pets', { name: 'Rex', categoryId: 1 });
  const path = createdPath({ headers });
  now = REMOVAL - 1;
  const before = await removing.request(path);
  expect([before.status, before.text]).toEqual([200, text]);
  now = REMOVAL;
  const after = await removing.request(path);
  expect([after.status, after.text]).toEqual([410, errorBody(410, 'GONE', MESSAGE)]);
  expect(after.headers.get('Sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
  expect(after.headers.get('Link')).toContain('rel="successor-version"');
});

test('GraphQL reports the removed field, and returns the others', async () => {
  now = REMOVAL;
  const { status, json } = await removing.graphql('{ pet(id: 0) { id } pets(after: 99) { id } }');
  expect(status).toBe(200);
  expect(json).toEqual({
    data: { pet: null, pets: [] },
    errors: [
      {
        message: MESSAGE,
        path: ['pet'],
        locations: [{ line: 1, column: 3 }],
        extensions: { code: 'GONE', status: 410 },
      },
    ],
  });
});

test('a removed route checks the key, but neither id nor tag', async () => {
  now = REMOVAL + 1;
  const headers = { 'If-None-Match': '*' };
  expect((await removing.request('/v1/pets/x', { headers })).status).toBe(410);
  expect(
    (await removing.request('/v1/pets/1', { headers: { Authorization: 'Bearer no' } })).status,
  ).toBe(401);
});

test('lists and creates still work after the removal', async () => {
  now = REMOVAL + 1;
  expect((await removing.request('/v1/pets?status=available')).status).toBe(200);
  expect((await removing.post('/v1/pets', { name: 'Rex', categoryId: 1 })).status).toBe(201);
});
