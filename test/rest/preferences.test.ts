import { expect, test } from 'vitest';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';

/* `Prefer: handling=strict` (RFC 7240) rejects unknown names, which are ignored by default. */

const { request, post } = await startGateway();

const STRICT = { Prefer: 'handling=strict' };

const add = (body: object, headers: Record<string, string> = STRICT) =>
  post('/v1/pets', body, headers);

test.each([
  ['limt=5', 'limt is not a known parameter, did you mean limit?'],
  ['Status=sold&aftr=1', 'did you mean status?'],
  ['Status=sold&aftr=1', 'aftr is not a known parameter, did you mean after?'],
  ['__proto__=1', '__proto__ is not a known parameter'],
])('with Prefer: handling=strict, ?%s is rejected: %s', async (query, message) => {
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
])(
  '%s returns %i, and the response lists the ignored parameters: %s',
  async (path, status, named) => {
    const answer = await request(path);
    expect([answer.status, answer.headers.get('Ignored-Parameters')]).toEqual([status, named]);
  },
);

test('a misspelled member is rejected with the nearest known name, and nothing is created', async () => {
  const name = `strict ${crypto.randomUUID()}`;
  const { status, text } = await add({ name, categoryID: 1, categoryId: 1 });
  const message = 'categoryID is not a known member, did you mean categoryId?';
  expect([status, text]).toEqual([400, errorBody(400, 'BAD_USER_INPUT', message)]);
  expect((await request('/v1/pets?limit=100')).text).not.toContain(name);
  expect((await add({ name, categoryID: 1, categoryId: 1 }, {})).status).toBe(201);
});

test('with handling=strict, a request with known names gets its usual response and Preference-Applied', async () => {
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
  // The time to parse it must not grow faster than its length.
  [`handling=${' '.repeat(15_000)}"`, 200],
])('a request with an unknown parameter and Prefer: %.40s returns %i', async (Prefer, expected) => {
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

const PROBLEM = { Accept: 'application/problem+json' };

test('problem details list each fault in a body with its pointer', async () => {
  const { status, json } = await add({ name: '', categoryId: 'x' }, PROBLEM);
  expect(status).toBe(400);
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
])('the problem details for ?%s name the parameter', async (query, name) => {
  expect((await request(`/v1/pets?${query}`, { headers: PROBLEM })).json).toMatchObject({
    errors: [{ parameter: name, detail: like(new RegExp(`^${name} must be `)) }],
  });
});

test('problem details for other errors have no list of faults', async () => {
  expect((await request('/v1/pets/x', { headers: PROBLEM })).json).toEqual({
    title: 'Not Found',
    status: 404,
    detail: 'There is no animal with this id',
    code: 'NOT_FOUND',
  });
});
