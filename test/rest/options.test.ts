import { expect, test } from 'vitest';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';

const { url } = await startGateway();
const withoutKey = { url, key: '' };
const ask = (path: string, method: string) => nodeRequest(withoutKey, path, { method });

test.each<readonly [path: string, allow: string]>([
  ['/v1/pets', 'GET, HEAD, POST, OPTIONS'],
  ['/v1/pets?limit=0', 'GET, HEAD, POST, OPTIONS'],
  ['/v1/pets/1', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
  ['/graphql', 'GET, HEAD, POST, OPTIONS'],
  ['*', 'GET, HEAD, POST, PATCH, DELETE, OPTIONS'],
  ...'/ /v1 /v1/openapi.json /v1/openapi.yaml /docs /guides /guides/api /schema.graphql /livez /readyz'
    .split(' ')
    .map((path): [string, string] => [path, 'GET, HEAD, OPTIONS']),
])('OPTIONS %s is 204, and tells the methods, without a key', async (path, allow) => {
  const { status, headers, text } = await ask(path, 'OPTIONS');
  expect([status, headers.get('Allow'), text]).toEqual([204, allow, '']);
  expect(headers.has('Content-Length')).toBe(false);
});

test.each(['/nowhere', '/v1/nothing', '/v1/pets/1/x', '/docs/nothing', '/guides/nothing'])(
  'OPTIONS of what is not there, %s, is 404, which no cache keeps',
  async (path) => {
    const { status, headers, text } = await ask(path, 'OPTIONS');
    expect([status, text]).toEqual([
      404,
      errorBody(404, 'NOT_FOUND', 'There is nothing at this address'),
    ]);
    expect(headers.has('Allow')).toBe(false);
    expect(headers.get('Cache-Control')).toBe('private, no-cache');
  },
);
