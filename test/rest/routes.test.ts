import { expect, test } from 'vitest';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';
import { createdPath } from '../support/created-path.ts';

const NO_ADDRESS = [404, errorBody(404, 'NOT_FOUND', 'There is nothing at this address')];
const NO_ANIMAL = [404, errorBody(404, 'NOT_FOUND', 'There is no animal with this id')];

const gateway = await startGateway();

test.each([
  ...['PATCH', 'PUT', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY'].map((method) => ({
    method,
    path: '/v1/pets',
    allow: 'GET, HEAD, POST, OPTIONS',
  })),
  ...['PUT', 'TRACE', 'PROPFIND', 'QUERY', 'POST'].map((method) => ({
    method,
    path: '/v1/pets/1',
    allow: 'GET, HEAD, PATCH, DELETE, OPTIONS',
  })),
])('$method $path is 405', async ({ method, path, allow }) => {
  const { status, text, headers } = await nodeRequest(gateway, path, { method });
  expect([status, text]).toEqual([
    405,
    errorBody(405, 'METHOD_NOT_ALLOWED', `This address accepts ${allow}`),
  ]);
  expect(headers.get('Allow')).toBe(allow);
  expect(headers.get('Cache-Control')).toBe('private, no-cache');
});

test.each([
  ...'/v2/pets /pets /v1/store/orders /v1/nothing /.env'.split(' '),
  ...'/v1/pets/ /v1/pets/1/ /v1/pets/1/x /v1//pets //v1/pets /v1/pet /v1/pets1'.split(' '),
  ...'/v1/Pets /V1/pets /v1/PETS/1 /v1/pets;limit=1 /v1%2Fpets /v1/pets%20 /%zz'.split(' '),
  ...'/v1/../v1/pets /v1/./pets /v1/constructor'.split(' '),
  // Targets in which Express finds no path.
  ...'/\\!@# http://[/v1/pets'.split(' '),
])('%s is 404 for every method: nothing is there', async (path) => {
  for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
    const { status, text } = await nodeRequest(gateway, path, { method });
    expect([status, text]).toEqual(NO_ADDRESS);
  }
});

test('nothing but OPTIONS asks about the server as a whole', async () => {
  for (const method of ['GET', 'POST', 'DELETE']) {
    const { status, text } = await nodeRequest(gateway, '*', { method });
    expect([status, text]).toEqual(NO_ADDRESS);
  }
});

test('a path that does not decode is nowhere', async () => {
  for (const path of ['/v1/pets/%zz', '/v1/pets/%', '/v1/pets/%ff', '/v1/pets/%ed%a0%80']) {
    const { status, text } = await nodeRequest(gateway, path);
    expect([status, text]).toEqual(NO_ADDRESS);
  }
});

test.each([
  '9'.repeat(400),
  ...'abc 0 -1 -0 1e400 null NaN - .. __proto__ {petId}'.split(' '),
  ...'9223372036854775807 -9223372036854775808 18446744073709551617'.split(' '),
  ...'9223372036854775808 -9223372036854775809'.split(' '),
  ...'%00 1%002 %0A %20 %2F %2e%2e %F0%9F%90%88'.split(' '),
])('the id %s names no animal: 404', async (id) => {
  const { status, text } = await nodeRequest(gateway, `/v1/pets/${id}`);
  expect([status, text]).toEqual(NO_ANIMAL);
});

test('an id of 7 kB names no animal: 404', async () => {
  const { status, text } = await nodeRequest(gateway, `/v1/pets/${'x'.repeat(7000)}`);
  expect([status, text]).toEqual(NO_ANIMAL);
});

test.each([
  ...'0{id} {id}.0 {id}. {id}e0 %2B{id} +{id} -{id} %20{id} {id}%20 {id}%0A {id}%00'.split(' '),
  ...'0x{id} {id}n {id},{id} {id}%2F %22{id}%22'.split(' '),
])('an animal is found by its id, and not by %s', async (template) => {
  const added = await gateway.post('/v1/pets', { name: 'Rex', categoryId: 1 });
  const id = createdPath(added).replace('/v1/pets/', '');
  const path = `/v1/pets/${template.replaceAll('{id}', id)}`;
  const found = await nodeRequest(gateway, `/v1/pets/${id}`);
  const missed = await nodeRequest(gateway, path);
  expect([found.status, found.text]).toEqual([200, added.text]);
  expect([missed.status, missed.text]).toEqual(NO_ANIMAL);
});

test('an id may be percent-encoded', async () => {
  const added = await gateway.post('/v1/pets', { name: 'Rex', categoryId: 1 });
  const id = createdPath(added).replace('/v1/pets/', '');
  const { status, text } = await nodeRequest(gateway, `/v1/pets/${id.replace(/\d/g, '%3$&')}`);
  expect([status, text]).toEqual([200, added.text]);
});
