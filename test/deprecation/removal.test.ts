import { expect, test } from 'vitest';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { createdPath } from '../support/created-path.ts';

const REMOVAL = Date.parse('2030-12-05T00:00:00Z');
const MESSAGE =
  'This was removed on 5 December 2030. Use the list of animals with a status filter or ids instead';

let now = REMOVAL;
const { request, post, graphql } = await startGateway({ now: () => now });

test('until the day of its removal an animal can be fetched, from then on it is 410', async () => {
  const { headers, text } = await post('/v1/pets', { name: 'Rex', categoryId: 1 });
  const path = createdPath({ headers });
  now = REMOVAL - 1;
  const before = await request(path);
  expect([before.status, before.text]).toEqual([200, text]);
  now = REMOVAL;
  const after = await request(path);
  expect([after.status, after.text]).toEqual([410, errorBody(410, 'GONE', MESSAGE)]);
  expect(after.headers.get('Sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
  expect(after.headers.get('Link')).toContain('rel="successor-version"');
});

test('GraphQL tells the same of the field, and goes on with the others', async () => {
  now = REMOVAL;
  const { status, json } = await graphql('{ pet(id: 0) { id } pets(after: 99) { id } }');
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

test('what is gone judges neither id nor tag, but still the key', async () => {
  now = REMOVAL + 1;
  const headers = { 'If-None-Match': '*' };
  expect((await request('/v1/pets/x', { headers })).status).toBe(410);
  expect((await request('/v1/pets/1', { headers: { Authorization: 'Bearer no' } })).status).toBe(
    401,
  );
});

test('the list, its pages and adding stay', async () => {
  now = REMOVAL + 1;
  expect((await request('/v1/pets?status=available')).status).toBe(200);
  expect((await post('/v1/pets', { name: 'Rex', categoryId: 1 })).status).toBe(201);
});
