import { expect, test } from 'vitest';
import { WHOLE_ANIMAL } from '../support/animals.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest, type NodeRequest } from '../support/node-request.ts';
import { createdPath, linkOf } from '../support/links.ts';

const gateway = await startGateway();
const { request, post, graphql } = gateway;

/** The deprecation in Unix seconds (21 November 2026, the first release), and the removal as an HTTP date. */
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

test.each<[string, number, string, NodeRequest]>([
  ['an animal', 200, 'PET', {}],
  ['an animal that the client has cached', 304, 'PET', { headers: { 'If-None-Match': '*' } }],
  ['HEAD', 200, 'PET', { method: 'HEAD' }],
  ['an unknown id', 404, '/v1/pets/0', {}],
  ['an invalid id', 404, '/v1/pets/%22%C3%A9', {}],
  ['a missing key', 401, 'PET', { headers: { Authorization: '' } }],
  ['a client that does not accept JSON', 406, 'PET', { headers: { Accept: 'text/plain' } }],
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

test.each(['/graphql', '/graphql/'])(
  'a response from %s announces the removal of a field that @skip leaves out',
  async (path) => {
    const query = '{ pets { id } pet(id: 0) @skip(if: true) { id } }';
    const { headers } = await post(path, { query });
    expect(announcement(headers)).toEqual({
      deprecation: DEPRECATION,
      sunset: SUNSET,
      link: GRAPHQL_LINK.replaceAll('<', path.endsWith('/') ? '<../' : '<'),
    });
  },
);

test('GET responses in both media types announce the removal, even with invalid variables', async () => {
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

test('each operation in a document announces only the deprecated fields that it selects', async () => {
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
  const successor = linkOf(await request(path), 'successor-version', path) ?? '';
  const { status, text } = await request(successor);
  expect(status).toBe(200);
  expect(text).toMatch(/"name":"Rex",.*"status":"available"/);
});

const MESSAGE =
  'This was removed on 5 December 2030. Use the list of animals with a status filter or ids instead';

const removing = await startGateway({ now: () => Date.parse('2030-12-05T00:00:00Z') });

test('GraphQL reports an error for the removed field, and returns the other fields', async () => {
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

test('a removed route checks the API key, but not the id or the If-None-Match tag', async () => {
  const { status, text, headers } = await removing.request('/v1/pets/x', {
    headers: { 'If-None-Match': '*' },
  });
  expect([status, text]).toEqual([410, errorBody(410, 'GONE', MESSAGE)]);
  expect(headers.get('Link')).toContain('rel="successor-version"');
  const refused = await removing.request('/v1/pets/1', {
    headers: { Authorization: 'Bearer no' },
  });
  expect(refused.status).toBe(401);
});
