import { expect, test } from 'vitest';
import { startChangedAnimals } from '../support/changed-animals.ts';
import { createdPath } from '../support/links.ts';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';

const NO_ADDRESS = [404, errorBody(404, 'NOT_FOUND', 'There is nothing at this address')];

const gateway = await startGateway();
/** A store whose routes support all methods. */
const changed = await startChangedAnimals({ corsOrigins: ['*'] });

const PAGES =
  '/ /v1 /v1/openapi.json /v1/openapi.yaml /docs /guides /guides/api /schema.graphql /livez /readyz';
type Address = [path: string, allow: string, served?: typeof gateway, acceptPatch?: string];

const ADDRESSES: readonly Address[] = [
  ['/v1/pets', 'GET, HEAD, POST, OPTIONS'],
  ['/v1/pets?limit=0', 'GET, HEAD, POST, OPTIONS'],
  [
    '/v1/pets/1',
    'GET, HEAD, PATCH, DELETE, OPTIONS',
    gateway,
    'application/merge-patch+json, application/json',
  ],
  ['/graphql', 'GET, HEAD, POST, OPTIONS'],
  ...PAGES.split(' ').map((path): Address => [path, 'GET, HEAD, OPTIONS']),
  ['/v1/pets', 'GET, HEAD, POST, OPTIONS', changed],
  [
    '/v1/pets/1',
    'GET, HEAD, PATCH, PUT, DELETE, OPTIONS',
    changed,
    'application/merge-patch+json, application/json',
  ],
  ['/v1/pets/1/sale', 'POST, OPTIONS', changed],
];
const SERVER: readonly Address[] = [
  ['*', 'GET, HEAD, POST, PATCH, DELETE, OPTIONS'],
  ['*', 'GET, HEAD, POST, PATCH, PUT, DELETE, OPTIONS', changed],
];

test.each([...ADDRESSES, ...SERVER])(
  'OPTIONS %s lists the methods without requiring a key: %s',
  async (path, allow, { url } = gateway, acceptPatch) => {
    const request = { method: 'OPTIONS' };
    const { status, headers, text } = await nodeRequest({ url, key: '' }, path, request);
    expect([status, headers.get('Allow'), text]).toEqual([204, allow, '']);
    expect(headers.get('Accept-Patch')).toBe(acceptPatch ?? null);
    expect(headers.has('Content-Length')).toBe(false);
  },
);

test.each(ADDRESSES)(
  'requests to %s with any method other than %s return 405',
  async (path, allow, served = gateway) => {
    const methods = 'GET POST PATCH PUT DELETE TRACE PROPFIND QUERY'.split(' ');
    const bodyOf = path === '/graphql' ? graphqlErrorBody : errorBody;
    const message = `This address accepts ${allow}`;
    for (const method of methods.filter((each) => !allow.split(', ').includes(each))) {
      const { status, text, headers } = await nodeRequest(served, path, { method });
      expect([method, status, headers.get('Allow'), text]).toEqual([
        method,
        405,
        allow,
        bodyOf(405, 'METHOD_NOT_ALLOWED', message),
      ]);
      expect(headers.get('Cache-Control')).toBe('private, no-cache');
    }
  },
);

test('a page from a different origin may use the methods of all routes', async () => {
  const { headers } = await nodeRequest(changed, '/v1/pets/1', {
    method: 'OPTIONS',
    headers: { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'PATCH' },
  });
  expect(headers.get('Access-Control-Allow-Methods')).toBe('GET,HEAD,POST,PATCH,PUT,DELETE');
  expect(headers.get('Access-Control-Allow-Headers')).toContain('If-Match');
});

test.each([
  ...'/v2/pets /pets /v1/store/orders /v1/nothing /.env /nowhere'.split(' '),
  ...'/v1/pets/ /v1/pets/1/ /v1/pets/1/x /v1//pets //v1/pets /v1/pet /v1/pets1'.split(' '),
  ...'/v1/Pets /V1/pets /v1/PETS/1 /v1/pets;limit=1 /v1%2Fpets /v1/pets%20 /%zz'.split(' '),
  ...'/v1/../v1/pets /v1/./pets /v1/constructor /docs/nothing /guides/nothing'.split(' '),
  // Targets in which Express finds no path.
  ...'/\\!@# http://[/v1/pets'.split(' '),
  // Path parameters that cannot be decoded.
  ...'/v1/pets/%zz /v1/pets/% /v1/pets/%ff /v1/pets/%ed%a0%80'.split(' '),
])('%s returns 404 for every method', async (path) => {
  for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
    const { status, text, headers } = await nodeRequest(gateway, path, { method });
    expect([status, text]).toEqual(NO_ADDRESS);
    expect(headers.has('Allow')).toBe(false);
    expect(headers.get('Cache-Control')).toBe('private, no-cache');
  }
});

test('only OPTIONS accepts * as the request target', async () => {
  for (const method of ['GET', 'POST', 'DELETE']) {
    const { status, text } = await nodeRequest(gateway, '*', { method });
    expect([status, text]).toEqual(NO_ADDRESS);
  }
});

test.each([
  ['GET', '/v1/pets?limit=1', {}],
  ['GET', '/v1/pets?limit=0', {}],
  ['GET', '/v1/pets/0', {}],
  ['GET', 'PET', {}],
  ['GET', 'PET', { Accept: 'application/json;q=0.5, text/html' }],
  ['GET', 'PET', { Accept: 'text/html' }],
  ['GET', 'PET', { Authorization: '' }],
  ['POST', '/v1/pets', { 'Content-Type': 'text/plain' }, '?'],
  ['POST', '/graphql', { 'Content-Type': 'text/plain' }, '?'],
  ['POST', '/graphql', { Authorization: '' }, '?'],
  ['PATCH', 'PET', { 'Content-Type': 'text/plain' }, '?'],
  ['PATCH', 'PET', { 'Content-Type': 'application/merge-patch+json', 'If-Match': '"x"' }, '{}'],
  ['PUT', 'PET', { 'Content-Type': 'application/json' }, '{}'],
  ['DELETE', 'PET', { Authorization: '' }],
  ['DELETE', 'PET', { 'If-Match': '"x"' }],
])('%s %s %j gets the same response when the request target is absolute', async (...row) => {
  const [method, template, headers, body] = row;
  const served = method === 'PUT' ? changed : gateway;
  const added = await served.post('/v1/pets', { name: 'Rex', categoryId: 1 });
  const path = template.replace('PET', createdPath(added, '/v1/pets'));
  const own = new Set(['date', 'x-request-id', 'ratelimit']);
  const responses = [path, served.url + path].map(async (target) => {
    const request = { method, headers, ...(body !== undefined && { body }) };
    const response = await nodeRequest(served, target, request);
    const shared = [...response.headers].filter(([name]) => !own.has(name));
    return [response.status, response.text, shared];
  });
  const [relative, absolute] = await Promise.all(responses);
  expect(absolute).toEqual(relative);
});
