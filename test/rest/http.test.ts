import { request as httpRequest, type IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { UNTOLD } from '../support/openapi.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';
import { createdPath } from '../support/links.ts';

const REX = { name: 'Rex', categoryId: 1 };
const MADE_ID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

const gateway = await startGateway();
const { request, post } = gateway;

test.each(['/v1/pets#x', '/graphql#', '/graphql#?query={__typename}', '/docs#x', '/#'])(
  'GET %s returns 404, because a request target has no fragment',
  async (path) => {
    const { status, text } = await nodeRequest(gateway, path);
    expect(status).toBe(404);
    expect(text).toContain('There is nothing at this address');
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  },
);

test("the Location of a new animal is its address, whatever the request's query string", async () => {
  const added = await post('/v1/pets?limit=5', REX);
  const location = added.headers.get('Location');
  expect(location).toMatch(/^pets\/[1-9]\d*$/);
  const { status, text } = await request(createdPath(added));
  expect([status, text]).toEqual([200, added.text]);
});

const ALWAYS = [...UNTOLD, 'x-request-id'];
const PRIVATE = ['cache-control', 'ratelimit', 'ratelimit-policy', 'vary'];

test.each([
  ['/v1/pets?limit=1', [...PRIVATE, 'etag', 'link']],
  ['/v1/pets?limit=0', PRIVATE],
  ['/v1/pets/0', [...PRIVATE, 'deprecation', 'sunset', 'link']],
  ['/nowhere', ['cache-control', 'vary']],
  ['/v1/pets/%zz', ['cache-control', 'vary']],
])('the response to %s is JSON and has only documented headers', async (path, others) => {
  const { headers } = await nodeRequest(gateway, path);
  expect([...headers.keys()].toSorted()).toEqual([...ALWAYS, ...others].toSorted());
  expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8');
});

test.each(['a', '0', 'a'.repeat(128), 'req_1.2:3-4', 'b3f1c2d4-0000-4000-8000-000000000000'])(
  "the response has the request's X-Request-Id %s",
  async (id) => {
    const headers = { 'X-Request-Id': id };
    for (const path of ['/v1/pets', '/v1/pets/0', '/nowhere']) {
      expect((await nodeRequest(gateway, path, { headers })).headers.get('X-Request-Id')).toBe(id);
    }
  },
);

test('a request without a valid X-Request-Id gets a new one', async () => {
  const ids = new Set<string | null>();
  const invalid = ['', 'a b', 'a\tb', 'a'.repeat(129), ['a', 'b']];
  const more = 'a,b a/b a"b <a> a;b é {} %0a $a'.split(' ');
  const all = [undefined, ...invalid, ...more];
  for (const id of all) {
    const headers = id === undefined ? {} : { 'X-Request-Id': id };
    const response = await nodeRequest(gateway, '/v1/pets', { headers });
    expect(response.headers.get('X-Request-Id')).toMatch(MADE_ID);
    ids.add(response.headers.get('X-Request-Id'));
  }
  expect(ids.size).toBe(all.length);
});

test('a client that expects 100-continue is asked for its body', async () => {
  const body = JSON.stringify(REX);
  const outgoing = httpRequest(`${gateway.url}/v1/pets`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${gateway.key}`,
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      Expect: '100-continue',
    },
  });
  const { statusCode } = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('continue', () => outgoing.end(body));
    outgoing.once('response', resolve).once('error', reject).flushHeaders();
  });
  expect(statusCode).toBe(201);
});
