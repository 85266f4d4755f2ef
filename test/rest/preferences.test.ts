import { expect, test } from 'vitest';
import { startGateway, type Answer } from '../support/gateway.ts';

/* `Prefer: handling=strict` (RFC 7240) rejects unknown names, which are otherwise ignored. */

const { request } = await startGateway();

const STRICT = { Prefer: 'handling=strict' };

function add(body: object, headers: Record<string, string> = STRICT): Promise<Answer> {
  return request('/v1/pets', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

test.each([
  ['limt=5', 'limt is not a known parameter, did you mean limit?'],
  ['Status=sold&aftr=1', 'did you mean status?'],
  ['Status=sold&aftr=1', 'aftr is not a known parameter, did you mean after?'],
  ['__proto__=1', '__proto__ is not a known parameter'],
])('?%s is rejected: %s', async (query, message) => {
  const { status, text, headers } = await request(`/v1/pets?${query}`, { headers: STRICT });
  expect([status, text]).toEqual([400, expect.stringContaining(message)]);
  expect(headers.get('Preference-Applied')).toBe('handling=strict');
  expect(headers.get('Ignored-Parameters')).toBeNull();
  expect((await request(`/v1/pets?${query}`)).status).toBe(200);
});

test.each([
  ['/v1/pets?limt=5&limit=5&Status=sold', 200, 'limt, Status'],
  ['/v1/pets?a%2C%0D%0Ab=1&%C3%A9=2&=3', 200, 'a%2C%0D%0Ab, %C3%A9'],
  [
    `/v1/pets?${Array.from({ length: 12 }, (_, index) => `p${index}`).join('&')}`,
    200,
    'p0, p1, p2, p3, p4, p5, p6, p7, p8, p9',
  ],
  [`/v1/pets?${'a'.repeat(41)}&${'a'.repeat(40)}`, 200, 'a'.repeat(40)],
  ['/v1/pets?limt=5&limit=x', 400, 'limt'],
  ['/v1/pets/0?fields=name', 404, 'fields'],
  ['/v1/pets?limit=5', 200, null],
])('%s returns %i, and names the ignored parameters: %s', async (path, status, named) => {
  const answer = await request(path);
  expect([answer.status, answer.headers.get('Ignored-Parameters')]).toEqual([status, named]);
});

test('a mistyped member is rejected with the nearest name, and nothing is created', async () => {
  const name = `strict ${crypto.randomUUID()}`;
  const refused = await add({ name, categoryID: 1, categoryId: 1 });
  expect([refused.status, refused.json]).toEqual([
    400,
    {
      code: 'BAD_USER_INPUT',
      message: 'categoryID is not a known member, did you mean categoryId?',
      status: 400,
    },
  ]);
  expect((await request('/v1/pets?limit=100')).text).not.toContain(name);
  expect((await add({ name, categoryID: 1, categoryId: 1 }, {})).status).toBe(201);
});

test('a request with known names is answered as ever, with Preference-Applied', async () => {
  const { status, headers } = await add({ name: 'Rex', categoryId: 7, status: 'sold' });
  expect([status, headers.get('Preference-Applied')]).toEqual([201, 'handling=strict']);
  const listed = await request('/v1/pets?limit=1&status=sold', { headers: STRICT });
  expect([listed.status, listed.headers.get('Preference-Applied')]).toEqual([
    200,
    'handling=strict',
  ]);
});

test.each([
  ['respond-async, Handling = "strict"; why=not', 400],
  ['handling=lenient, handling=strict', 200],
  ['handling=lenient', 200],
  ['handling', 200],
  ['return=minimal', 200],
  ['"handling=strict"', 200],
  // It must not take longer than it is long.
  [`handling=${' '.repeat(15_000)}"`, 200],
])('Prefer: %.40s returns %i', async (Prefer, expected) => {
  const { status } = await request('/v1/pets?unknown=1', { headers: { Prefer } });
  expect(status).toBe(expected);
});

test('the error for many or long unknown names is short', async () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_none, n) => [`m${n}`, 1]));
  const { status, text } = await add({ ...many, ['x'.repeat(5000)]: 1 });
  expect(status).toBe(400);
  expect(text.length).toBeLessThan(2000);
});

/* Errors as problem details (RFC 9457), for clients that accept them. */

const like = (pattern: RegExp): unknown => expect.stringMatching(pattern);

test.each([
  'application/problem+json',
  'application/json, application/problem+json',
  'Application/Problem+JSON;q=0.5',
])('Accept: %s returns each fault of a body with its pointer', async (accept) => {
  const { status, headers, json } = await add({ name: '', categoryId: 'x' }, { Accept: accept });
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
])('the fault of ?%s has the name of its parameter', async (query, name) => {
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
])('Accept: %s returns errors as %s', async (Accept, type) => {
  const { headers } = await request('/v1/pets?limit=0', { headers: { Accept } });
  expect(headers.get('Content-Type')).toBe(type);
  expect(headers.get('Vary')?.split(', ')).toContain('Accept');
});

test('other errors have no faults, and a success is JSON as ever', async () => {
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
  const added = await add({ name: 'Rex', categoryId: 7 }, headers);
  expect([added.status, added.headers.get('Content-Type')]).toEqual([
    201,
    'application/json; charset=utf-8',
  ]);
});

test.each(['application/json', '*/*', 'application/*', 'application/problem+json;q=0, */*'])(
  'Accept: %s returns errors in the format of the contract',
  async (accept) => {
    const { headers, json } = await add({}, { Accept: accept });
    expect(headers.get('Content-Type')).toMatch(/^application\/json\b/);
    expect(json).toEqual({ code: 'BAD_USER_INPUT', message: like(/./), status: 400 });
  },
);
