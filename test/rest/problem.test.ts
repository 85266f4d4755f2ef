import { expect, test } from 'vitest';
import { startGateway, type Answer } from '../support/gateway.ts';

const like = (pattern: RegExp): unknown => expect.stringMatching(pattern);

/* Errors as RFC 9457 has them, for whoever asks for them by Accept. */

const { request } = await startGateway();

function add(body: object, Accept: string): Promise<Answer> {
  return request('/v1/pets', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', Accept },
  });
}

test.each([
  'application/problem+json',
  'application/json, application/problem+json',
  'Application/Problem+JSON;q=0.5',
])('Accept: %s has each fault of a body with its pointer', async (accept) => {
  const { status, headers, json } = await add({ name: '', categoryId: 'x' }, accept);
  expect([status, headers.get('Content-Type')]).toEqual([400, 'application/problem+json']);
  expect(json).toEqual({
    title: 'Bad Request',
    status: 400,
    detail: like(/^name must be .+; categoryId must be /),
    code: 'BAD_USER_INPUT',
    errors: [
      { pointer: '#/name', detail: like(/^name must be /) },
      { pointer: '#/categoryId', detail: like(/^categoryId must be /) },
    ],
  });
});

test.each([
  ['limit=0', 'limit'],
  ['id=x', 'id'],
])('a fault of a parameter of ?%s has its name', async (query, name) => {
  const headers = { Accept: 'application/problem+json' };
  expect((await request(`/v1/pets?${query}`, { headers })).json).toMatchObject({
    errors: [{ parameter: name, detail: like(new RegExp(`^${name} must be `)) }],
  });
});

test.each([
  ['application/json, application/problem+json;q=0.9', 'application/json; charset=utf-8'],
  ['*/*, application/problem+json;q=0.1', 'application/json; charset=utf-8'],
  ['application/problem+json;q=0', 'application/json; charset=utf-8'],
  ['application/json;q=0.5, application/problem+json;q=0.6', 'application/problem+json'],
  ['text/html, application/problem+json;q=0.1', 'application/problem+json'],
])('Accept: %s has errors as %s, by its weights', async (Accept, type) => {
  const { headers } = await request('/v1/pets?limit=0', { headers: { Accept } });
  expect(headers.get('Content-Type')).toBe(type);
  expect(headers.get('Vary')?.split(', ')).toContain('Accept');
});

test('other errors have no faults, and successes are JSON as ever', async () => {
  const headers = { Accept: 'application/problem+json' };
  const missing = await request('/v1/pets/x', { headers });
  expect([missing.status, missing.json]).toEqual([
    404,
    {
      title: 'Not Found',
      status: 404,
      detail: 'There is no animal with this id',
      code: 'NOT_FOUND',
    },
  ]);
  const added = await add({ name: 'Rex', categoryId: 7 }, headers.Accept);
  expect([added.status, added.headers.get('Content-Type')]).toEqual([
    201,
    'application/json; charset=utf-8',
  ]);
});

test.each(['application/json', '*/*', 'application/*', 'application/problem+json;q=0, */*'])(
  'Accept: %s has the errors of the contract',
  async (accept) => {
    const { headers, json } = await add({}, accept);
    expect(headers.get('Content-Type')).toMatch(/^application\/json\b/);
    expect(json).toEqual({ code: 'BAD_USER_INPUT', message: like(/./), status: 400 });
  },
);
