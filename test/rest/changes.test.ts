import { expect, test } from 'vitest';
import { startChangedAnimals } from '../support/changed-animals.ts';
import { createdPath } from '../support/links.ts';
import { errorBody } from '../support/error-body.ts';
import { nodeRequest } from '../support/node-request.ts';

const gateway = await startChangedAnimals();
const { request, send, post } = gateway;

const JSON_TYPE = 'application/json';
const MERGE_PATCH = 'application/merge-patch+json';

/** Returns the path of a new animal. */
async function newAnimal(): Promise<string> {
  return createdPath(
    await post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'pending' }),
    '/v1/pets',
  );
}

const patch = (path: string, body: unknown, type = MERGE_PATCH) =>
  send('PATCH', path, body, { 'Content-Type': type });

test.each([MERGE_PATCH, `${MERGE_PATCH}; charset=UTF-8`, JSON_TYPE])(
  'a PATCH with the type %s changes the members in its body and no others',
  async (type) => {
    const path = await newAnimal();
    const { status, headers, json } = await patch(path, { name: 'Ida' }, type);
    const changed = { name: 'Ida', categoryId: 1, status: 'pending' };
    expect([status, json]).toMatchObject([200, changed]);
    expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect((await request(path)).json).toMatchObject(changed);
  },
);

test.each([
  [{}, 'pending'],
  [{ status: null }, 'available'],
  [{ status: 'sold' }, 'sold'],
])(
  'a PATCH distinguishes an absent member from null and from a value: %j',
  async (body, status) => {
    const path = await newAnimal();
    expect((await patch(path, body)).json).toMatchObject({ name: 'Rex', status });
  },
);

test('a PATCH with unknown members returns 400 and changes nothing', async () => {
  const path = await newAnimal();
  const before = (await request(path)).text;
  const { status, text } = await patch(path, { id: 7, Name: 'Ida' });
  expect([status, text]).toEqual([
    400,
    errorBody(
      400,
      'BAD_USER_INPUT',
      'id is not a known member; Name is not a known member, did you mean name?',
    ),
  ]);
  expect((await request(path)).text).toBe(before);
});

test('a PATCH with an unsupported media type returns 415 with the accepted types', async () => {
  const path = await newAnimal();
  const { status, headers, text } = await patch(path, [], 'application/json-patch+json');
  expect([status, text]).toEqual([
    415,
    errorBody(
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must be application/merge-patch+json or application/json in UTF-8, plain or compressed with gzip, deflate, br or zstd; its Content-Type is application/json-patch+json',
    ),
  ]);
  expect(headers.get('Accept-Patch')).toBe('application/merge-patch+json, application/json');
});

test('only PATCH accepts a merge patch', async () => {
  const body = { name: 'Ida', categoryId: 1 };
  const { status, headers } = await post('/v1/pets', body, { 'Content-Type': MERGE_PATCH });
  expect([status, headers.has('Accept-Patch')]).toEqual([415, false]);
});

test.each(['PATCH', 'PUT'])(
  'a %s without a body returns 400 and changes nothing',
  async (method) => {
    const path = await newAnimal();
    const before = await request(path);
    const headers = { 'Content-Type': JSON_TYPE, 'If-Match': before.headers.get('ETag') ?? '' };
    for (const body of [undefined, '']) {
      const answer = await nodeRequest(gateway, path, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      expect([answer.status, answer.text]).toEqual([
        400,
        errorBody(400, 'BAD_USER_INPUT', 'The body is missing'),
      ]);
    }
    expect((await request(path)).text).toBe(before.text);
  },
);

test('a PUT replaces the whole animal: omitted members get their defaults', async () => {
  const path = await newAnimal();
  const etag = (await request(path)).headers.get('ETag') ?? '';
  const put = (body: object) => send('PUT', path, body, { 'If-Match': etag });
  expect(await put({ name: 'Ida' })).toMatchObject({ status: 400 });
  const { status, headers, json } = await put({ name: 'Ida', categoryId: 2 });
  expect([status, json]).toMatchObject([200, { name: 'Ida', categoryId: 2, status: 'available' }]);
  // The stored representation may differ from the one that was sent (RFC 9110, 9.3.4).
  expect([headers.has('ETag'), headers.has('Location')]).toEqual([false, false]);
});

test('a DELETE returns 204 without a body or headers that describe one, whatever the client accepts', async () => {
  const path = await newAnimal();
  const { status, headers, text } = await nodeRequest(gateway, path, {
    method: 'DELETE',
    headers: { Accept: 'text/html' },
  });
  expect([status, text]).toEqual([204, '']);
  for (const name of ['Content-Type', 'Content-Length', 'Transfer-Encoding', 'ETag']) {
    expect(headers.has(name)).toBe(false);
  }
  expect(headers.get('Cache-Control')).toBe('private, no-cache');
  expect((await request(path)).status).toBe(404);
});

test('the body of a DELETE is not read', async () => {
  const path = await newAnimal();
  const answer = await nodeRequest(gateway, path, { method: 'DELETE', body: '{' });
  expect(answer.status).toBe(204);
});

test("an action responds with its route's status", async () => {
  const path = await newAnimal();
  const { status, headers, json } = await request(`${path}/sale`, { method: 'POST' });
  expect([status, json]).toMatchObject([202, { status: 'sold' }]);
  expect([headers.has('ETag'), headers.has('Location')]).toEqual([false, false]);
});

test.each(['PATCH', 'DELETE'])(
  'a %s with an Idempotency-Key that its mutation does not accept returns 400 and changes nothing',
  async (method) => {
    const path = await newAnimal();
    const before = await request(path);
    const body = method === 'PATCH' ? '{"name":"Ida"}' : undefined;
    const answer = await send(method, path, body, { 'Idempotency-Key': 'key' });
    expect([answer.status, answer.text]).toEqual([
      400,
      errorBody(400, 'BAD_USER_INPUT', 'This mutation does not accept an Idempotency-Key'),
    ]);
    expect((await request(path)).text).toBe(before.text);
  },
);
