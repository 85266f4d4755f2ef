import { NO_TAG_OF_ROW } from '../../packages/rest/src/requests.ts';
import { expect, test } from 'vitest';
import { startChangedAnimals } from '../support/changed-animals.ts';
import { createdPath } from '../support/created-path.ts';
import { errorBody } from '../support/error-body.ts';
import { nodeRequest } from '../support/node-request.ts';

const gateway = await startChangedAnimals();
const { request, post } = gateway;

const METHODS = ['PATCH', 'PUT', 'DELETE'] as const;

/** What a change has to be, by its method. */
const BODIES = {
  PATCH: '{"name":"Ida"}',
  PUT: '{"name":"Ida","categoryId":1}',
  DELETE: undefined,
} as const;

const FAILED = errorBody(
  412,
  'PRECONDITION_FAILED',
  'The resource has changed: its current version matches none of the expected versions',
);
const REQUIRED = errorBody(
  428,
  'PRECONDITION_REQUIRED',
  'If-Match is required: send the ETag of the version to change',
);

/** Adds an animal that no other test changes. */
async function newAnimal() {
  const path = createdPath(await post('/v1/pets', { name: 'Rex', categoryId: 1 }), '/v1/pets');
  const { headers, text } = await request(path);
  return { path, etag: headers.get('ETag') ?? '', text };
}

function change(method: keyof typeof BODIES, path: string, headers: Record<string, string>) {
  const body = BODIES[method];
  return nodeRequest(gateway, path, {
    method,
    headers: { ...(body && { 'Content-Type': 'application/json' }), ...headers },
    ...(body && { body }),
  });
}

const NO_TAG = errorBody(412, 'PRECONDITION_FAILED', NO_TAG_OF_ROW);

test('an entity tag is strong, has the version in it, and changes with the row', async () => {
  const { path, etag, text } = await newAnimal();
  expect(etag).toMatch(/^"v-%22[\da-f]{16}-[\w+/=]+"$/);
  expect(text).not.toContain('version');
  const { headers } = await change('PATCH', path, {});
  const changed = await request(path);
  expect(changed.headers.get('ETag')).not.toBe(etag);
  expect(changed.headers.get('ETag')).toBe(headers.get('ETag'));
});

test.each(METHODS)('a %s of the current version is done', async (method) => {
  const { path, etag } = await newAnimal();
  const { status } = await change(method, path, { 'If-Match': `"other", ${etag}` });
  expect(status).toBe(method === 'DELETE' ? 204 : 200);
  expect((await request(path)).headers.get('ETag')).not.toBe(etag);
  const again = await change(method, path, { 'If-Match': etag });
  expect(again.status).toBe(method === 'DELETE' ? 404 : 412);
});

/** The end of a row's tag. */
const HASH = `${'x'.repeat(27)}=`;

const NO_MATCHES: [string, (etag: string) => string, refusal?: string][] = [
  ['another tag', () => '"other"', NO_TAG],
  ['another version', (etag) => etag.replace('%22', '%22f')],
  ['another version, weakly', (etag) => `W/${etag.replace('%22', '%22f')}`],
  ['what is not encoded as a tag', () => `"%-${HASH}"`, NO_TAG],
  ['a version that the argument would reject', () => `"${'a'.repeat(300)}-${HASH}"`],
];

test.each(
  METHODS.flatMap((method) =>
    NO_MATCHES.map(([what, tagOf, refusal = FAILED]) => ({ method, what, tagOf, refusal })),
  ),
)('a $method with If-Match of $what is 412, and changes nothing', async (each) => {
  const { method, tagOf, refusal } = each;
  const { path, etag, text } = await newAnimal();
  const answer = await change(method, path, { 'If-Match': tagOf(etag) });
  expect([answer.status, answer.text]).toEqual([412, refusal]);
  expect((await request(path)).text).toBe(text);
});

test.each(['PATCH', 'DELETE'] as const)(
  'a %s needs no If-Match where the argument is optional, and takes any version by *',
  async (method) => {
    for (const headers of [{}, { 'If-Match': '*' }]) {
      const { path } = await newAnimal();
      expect((await change(method, path, headers)).status).toBe(method === 'PATCH' ? 200 : 204);
      expect((await change(method, '/v1/pets/0', headers)).status).toBe(404);
    }
  },
);

test('a PUT needs If-Match, because the argument does, and * is none', async () => {
  const { path, text } = await newAnimal();
  for (const headers of [{}, { 'If-Match': '*' }]) {
    const answer = await change('PUT', path, headers);
    expect([answer.status, answer.text]).toEqual([428, REQUIRED]);
  }
  expect((await request(path)).text).toBe(text);
});

test.each(METHODS)('a %s with If-None-Match: * is 412 of what is there, or 404', async (method) => {
  const { path, etag } = await newAnimal();
  const headers = { 'If-None-Match': '*' };
  expect(await change(method, path, headers)).toMatchObject({ status: 412, text: FAILED });
  expect((await change(method, '/v1/pets/0', headers)).status).toBe(404);
  // The schema of this store can't exclude versions.
  const answer = await change(method, path, { 'If-None-Match': etag });
  expect([answer.status, answer.text]).toEqual([
    400,
    errorBody(400, 'BAD_USER_INPUT', 'This operation only supports If-None-Match: *'),
  ]);
});

test.each(['', ',', 'x', '"', '"a" "b"', '"a";', '*, "a"', 'w/"a"', '"a b"', '"a\tb"'])(
  'an If-Match of %j is 400',
  async (header) => {
    const { path } = await newAnimal();
    for (const method of ['GET', 'PATCH'] as const) {
      const headers = { 'If-Match': header };
      const answer =
        method === 'GET'
          ? await nodeRequest(gateway, path, { headers })
          : await change(method, path, headers);
      expect([answer.status, answer.text]).toEqual([
        400,
        errorBody(400, 'BAD_USER_INPUT', 'If-Match must be * or entity tags such as "abc"'),
      ]);
    }
  },
);

test.each([', "a",,\t$ ,', '$,"a"', '"a,b" , $', 'W/"a",$'])(
  'an If-Match may be a list with empty elements, and commas in its tags: %s',
  async (header) => {
    const { path, etag } = await newAnimal();
    const { status } = await change('PATCH', path, { 'If-Match': header.replace('$', etag) });
    expect(status).toBe(200);
  },
);

test.each([
  ['POST', '/v1/pets', { 'If-Match': '"a"' }],
  ['POST', '/v1/pets/1/sale', { 'If-Match': '*' }],
])(
  'a condition that a mutation has no argument for is refused: %s %s',
  async (method, path, headers) => {
    const { status, text } = await nodeRequest(gateway, path, { method, headers });
    const message = 'This operation does not support If-Match and If-None-Match';
    expect([status, text]).toEqual([400, errorBody(400, 'BAD_USER_INPUT', message)]);
  },
);

test('If-Match of a GET is compared with its whole entity tag, before If-None-Match', async () => {
  const { path, etag, text } = await newAnimal();
  const get = (headers: Record<string, string>) => nodeRequest(gateway, path, { headers });
  for (const header of [etag, '*', `"a", ${etag}`]) {
    expect(await get({ 'If-Match': header })).toMatchObject({ status: 200, text });
  }
  for (const header of ['"a"', `W/${etag}`, etag.replace('-', '-0')]) {
    expect(await get({ 'If-Match': header, 'If-None-Match': etag })).toMatchObject({
      status: 412,
      text: FAILED,
    });
  }
  expect(await get({ 'If-Match': etag, 'If-None-Match': etag })).toMatchObject({ status: 304 });
});

/** Reads what is at a path if it has this tag. */
const getIf = (path: string, ifMatch: string) =>
  nodeRequest(gateway, path, { headers: { 'If-Match': ifMatch } });

test('a list has no version: its tag is a hash, and If-Match is compared with that', async () => {
  const path = '/v1/pets?limit=1';
  const etag = (await request(path)).headers.get('ETag') ?? '';
  expect(etag).toMatch(/^"[\w+/=]+"$/);
  expect((await getIf(path, etag)).status).toBe(200);
  expect((await getIf(path, '"a-b"')).status).toBe(412);
});
