import { expect, test } from 'vitest';
import { startChangedAnimals } from '../support/changed-animals.ts';
import { createdPath } from '../support/created-path.ts';
import { errorBody } from '../support/error-body.ts';
import { nodeRequest } from '../support/node-request.ts';

const gateway = await startChangedAnimals({ corsOrigins: ['*'] });
const { request, post } = gateway;

const JSON_TYPE = 'application/json';
const MERGE_PATCH = 'application/merge-patch+json';

/** The path of an animal of its own. */
async function newAnimal(): Promise<string> {
  return createdPath(await post('/v1/pets', { name: 'Rex', categoryId: 1 }), '/v1/pets');
}

const ONE = 'GET, HEAD, PATCH, PUT, DELETE, OPTIONS';

test.each([
  ['/v1/pets', 'GET, HEAD, POST, OPTIONS', null],
  ['/v1/pets/1', ONE, 'application/merge-patch+json, application/json'],
  ['/v1/pets/1/sale', 'POST, OPTIONS', null],
  ['*', 'GET, HEAD, POST, PATCH, PUT, DELETE, OPTIONS', null],
])('OPTIONS %s tells the methods of its routes', async (path, allow, acceptPatch) => {
  const { status, headers } = await nodeRequest(gateway, path, { method: 'OPTIONS' });
  expect([status, headers.get('Allow'), headers.get('Accept-Patch')]).toEqual([
    204,
    allow,
    acceptPatch,
  ]);
});

test.each([
  ['POST', '/v1/pets/1', ONE],
  ['DELETE', '/v1/pets', 'GET, HEAD, POST, OPTIONS'],
  ['PATCH', '/v1/pets/1/sale', 'POST, OPTIONS'],
])('%s %s is 405', async (method, path, allow) => {
  const { status, headers, text } = await request(path, { method });
  expect([status, headers.get('Allow'), text]).toEqual([
    405,
    allow,
    errorBody(405, 'METHOD_NOT_ALLOWED', `This address accepts ${allow}`),
  ]);
});

test('a page of another origin may use the methods of all routes', async () => {
  const { headers } = await nodeRequest(gateway, '/v1/pets/1', {
    method: 'OPTIONS',
    headers: { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'PATCH' },
  });
  expect(headers.get('Access-Control-Allow-Methods')).toBe('GET,HEAD,POST,PATCH,PUT,DELETE');
  expect(headers.get('Access-Control-Allow-Headers')).toContain('If-Match');
});

test.each(['PATCH', 'PUT', 'DELETE'])('a %s needs an API key', async (method) => {
  const headers = { Authorization: '' };
  const { status } = await nodeRequest(gateway, await newAnimal(), { method, headers });
  expect(status).toBe(401);
});

test.each([
  ['PATCH', { 'Content-Type': 'text/plain' }, '?'],
  ['PATCH', { 'Content-Type': MERGE_PATCH, 'If-Match': '"x"' }, '{}'],
  ['PUT', { 'Content-Type': JSON_TYPE }, '{}'],
  ['DELETE', { Authorization: '' }, undefined],
  ['DELETE', { 'If-Match': '"x"' }, undefined],
])('%s %j is answered alike with and without Express', async (method, headers, body) => {
  const path = await newAnimal();
  const answers = [path, gateway.url + path].map(async (target) => {
    const sent = { method, headers, ...(body !== undefined && { body }) };
    const answer = await nodeRequest(gateway, target, sent);
    const own = new Set(['date', 'x-request-id', 'ratelimit']);
    return [answer.status, answer.text, [...answer.headers].filter(([name]) => !own.has(name))];
  });
  const [direct, byExpress] = await Promise.all(answers);
  expect(direct).toEqual(byExpress);
});
