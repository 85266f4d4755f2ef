import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';
import { createdPath } from '../support/created-path.ts';

const gateway = await startGateway();
const { request, post } = gateway;

/** The address of an animal, its entity tag and its text. */
async function newAnimal() {
  const { headers } = await post('/v1/pets', { name: 'Rex', categoryId: 1 });
  const path = createdPath({ headers });
  const answer = await request(path);
  return { path, etag: answer.headers.get('ETag') ?? '', text: answer.text };
}

async function ask(path: string, ifNoneMatch: string, method = 'GET') {
  return nodeRequest(gateway, path, { method, headers: { 'If-None-Match': ifNoneMatch } });
}

test('lists and single animals have a strong entity tag, and are for their caller alone', async () => {
  const { path } = await newAnimal();
  for (const { headers } of [await request('/v1/pets'), await request(path)]) {
    expect(headers.get('ETag')).toMatch(/^"[^"\s]+"$/);
    expect(headers.get('Cache-Control')).toBe('private, no-cache');
    expect(headers.get('Vary')).toBe('Authorization');
  }
});

test.each([
  ['the tag', (tag: string) => tag],
  ['the tag, weak', (tag: string) => `W/${tag}`],
  ['a list with the tag at its end', (tag: string) => `"other", W/"another",${tag}`],
  ['a list with a comma in another tag', (tag: string) => `"a,b", ${tag}`],
  ['*', () => '*'],
])('If-None-Match with %s is answered with 304, and nothing but headers', async (_what, header) => {
  const { path, etag } = await newAnimal();
  for (const method of ['GET', 'HEAD']) {
    const { status, headers, text } = await ask(path, header(etag), method);
    expect([status, text]).toEqual([304, '']);
    expect(headers.get('ETag')).toBe(etag);
    expect(headers.get('Cache-Control')).toBe('private, no-cache');
    expect(headers.get('Vary')).toBe('Authorization');
    expect(headers.has('Content-Type')).toBe(false);
  }
});

test.each([
  ['another tag', (tag: string) => tag.replace('"', '"x')],
  ['the tag without its quotes', (tag: string) => tag.replaceAll('"', '')],
  ['"*"', () => '"*"'],
])('If-None-Match with %s is answered with the animal', async (_what, header) => {
  const { path, etag, text } = await newAnimal();
  const answer = await ask(path, header(etag));
  expect([answer.status, answer.text]).toEqual([200, text]);
});

test('fetch, which sends Cache-Control: no-cache with every If-None-Match, gets 304', async () => {
  const { path, etag } = await newAnimal();
  const { status, text } = await request(path, { headers: { 'If-None-Match': etag } });
  expect([status, text]).toEqual([304, '']);
});

test('a list has the same tag until an animal comes into it', async () => {
  const path = '/v1/pets?status=sold';
  const first = (await request(path)).headers.get('ETag') ?? '';
  await post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'pending' });
  expect((await ask(path, first)).status).toBe(304);
  await post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'sold' });
  const { status, headers } = await ask(path, first);
  expect(status).toBe(200);
  expect(headers.get('ETag')).not.toBe(first);
});

test('a 304 of a list has its links', async () => {
  const { headers } = await request('/v1/pets?limit=1');
  const again = await ask('/v1/pets?limit=1', headers.get('ETag') ?? '');
  expect([again.status, again.headers.get('Link')]).toEqual([304, headers.get('Link')]);
});

test('a key that is not valid gets 401, whatever tag it knows', async () => {
  const { path, etag } = await newAnimal();
  const headers = { Authorization: 'Bearer no', 'If-None-Match': etag };
  const answer = await nodeRequest(gateway, path, { headers });
  expect(answer.status).toBe(401);
  expect(answer.headers.has('ETag')).toBe(false);
});

test.each(['/v1/pets/0', '/v1/pets?limit=0'])('* makes no 304 of an error: %s', async (path) => {
  const { status, headers } = await ask(path, '*');
  expect(status).toBeGreaterThanOrEqual(400);
  expect(headers.has('ETag')).toBe(false);
  expect(headers.get('Cache-Control')).toBe('private, no-cache');
});

test('an animal is added whatever If-None-Match says', async () => {
  const answer = await nodeRequest(gateway, '/v1/pets', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'If-None-Match': '*' },
    body: '{"name":"Rex","categoryId":1}',
  });
  expect(answer.status).toBe(201);
  expect(answer.headers.get('Cache-Control')).toBe('private, no-cache');
});

test('GraphQL answers are for their caller alone, too', async () => {
  const { headers } = await gateway.graphql('{ pets { id } }');
  expect([headers.get('Cache-Control'), headers.get('Vary')]).toEqual([
    'private, no-cache',
    'Authorization, Accept',
  ]);
});
