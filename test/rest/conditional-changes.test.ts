import { randomUUID } from 'node:crypto';
import { PRECONDITION_FAILED } from '@store-gateway/graphql';
import { expect, test } from 'vitest';
import { NO_TAG_OF_ROW } from '../../packages/rest/src/requests.ts';
import { createdPath } from '../support/created-path.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { changesOf } from '../support/pet-changes.ts';

/* Changes with If-Match and If-None-Match (RFC 9110, 13.1). preconditions.test.ts tests the grammar of both. */

const gateway = await startGateway();
const { request } = gateway;
const { newPet, patch, remove, tagOf } = changesOf(gateway);

const CHANGES = {
  PATCH: (path: string, headers: Record<string, string>) =>
    patch(path, '{"status":"sold"}', headers),
  DELETE: remove,
};
const EXCLUDED = errorBody(
  412,
  'PRECONDITION_FAILED',
  'The current version is one of those that the request excludes',
);
/** An entity tag of a row that does not exist. */
const OTHER = `"${'x'.repeat(22)}-${'A'.repeat(27)}="`;

test('one of eight changes of the same version is made', async () => {
  const path = await newPet();
  const tag = await tagOf(path);
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_none, number) =>
      patch(path, `{"name":"Rex ${number}"}`, { 'If-Match': tag }),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.toSorted((one, other) => one - other)).toEqual([
    200,
    ...Array<number>(7).fill(412),
  ]);
  const made = answers[statuses.indexOf(200)];
  expect((await request(path)).text).toBe(made?.text);
  expect(await tagOf(path)).toBe(made?.headers.get('ETag'));
  expect(await tagOf(path)).not.toBe(tag);
  expect(answers.find(({ status }) => status === 412)?.json).toMatchObject({
    code: 'PRECONDITION_FAILED',
    message: PRECONDITION_FAILED,
  });
});

test.each<(tag: string) => string>([
  (tag) => `W/${tag}`,
  (tag) => tag.replace(/"$/, '-gzip"'),
  (tag) => `W/${tag.replace(/"$/, '--gzip"')}`,
])('a tag that a proxy has changed matches the same version: %s', async (changed) => {
  const path = await newPet();
  const tag = changed(await tagOf(path));
  expect((await patch(path, '{"status":"sold"}', { 'If-Match': tag })).status).toBe(200);
  expect((await patch(path, '{"status":"pending"}', { 'If-Match': tag })).status).toBe(412);
});

test('a change may expect the tag of the response that created the animal', async () => {
  const created = await gateway.post('/v1/pets', { name: 'Rex', categoryId: 1 });
  const path = createdPath(created, '/v1/pets');
  const tag = created.headers.get('ETag') ?? '';
  expect(tag).toBe(await tagOf(path));
  expect((await patch(path, '{"status":"sold"}', { 'If-Match': tag })).status).toBe(200);
  expect((await patch(path, '{"status":"sold"}', { 'If-Match': tag })).status).toBe(412);
});

test('the tag of a list is not the tag of an animal', async () => {
  const path = await newPet();
  const headers = { 'If-Match': await tagOf('/v1/pets') };
  expect((await patch(path, '{"status":"sold"}', headers)).json).toEqual({
    code: 'PRECONDITION_FAILED',
    message: NO_TAG_OF_ROW,
    status: 412,
  });
  expect((await patch('/v1/pets/123456789', '{"status":"sold"}', headers)).status).toBe(404);
});

test.each(['PATCH', 'DELETE'] as const)(
  'a %s whose If-None-Match has the current version returns 412; with any other tag it is made',
  async (method) => {
    const change = CHANGES[method];
    const path = await newPet();
    const [etag, { text }] = [await tagOf(path), await request(path)];
    for (const header of [etag, `W/${etag}`, `"x", ${etag.replace(/"$/, '-gzip"')}`]) {
      const answer = await change(path, { 'If-None-Match': header });
      expect([answer.status, answer.text]).toEqual([412, EXCLUDED]);
    }
    expect((await request(path)).text).toBe(text);
    for (const header of [OTHER, `"x", ${OTHER}`, await tagOf('/v1/pets')]) {
      const { status } = await change(await newPet(), { 'If-None-Match': header });
      expect(status).toBe(method === 'PATCH' ? 200 : 204);
      expect((await change('/v1/pets/0', { 'If-None-Match': header })).status).toBe(404);
    }
  },
);

test('a change with If-Match and If-None-Match has to meet both', async () => {
  const path = await newPet();
  const etag = await tagOf(path);
  const statuses: number[] = [];
  for (const [ifMatch, ifNoneMatch] of [
    [etag, etag],
    ['"x"', OTHER],
    [OTHER.replace('"x', '"!x'), OTHER],
    ['*', etag],
    [etag, OTHER],
  ] as const) {
    const headers = { 'If-Match': ifMatch, 'If-None-Match': ifNoneMatch };
    statuses.push((await CHANGES.PATCH(path, headers)).status);
  }
  expect(statuses).toEqual([412, 412, 412, 412, 200]);
});

test('parallel changes are all made if each excludes a version that the row never has', async () => {
  const path = await newPet();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      CHANGES.PATCH(path, { 'If-None-Match': OTHER, 'Idempotency-Key': randomUUID() }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array<number>(8).fill(200));
});

test('an If-None-Match of a change that is no list of entity tags returns 400', async () => {
  const answer = await CHANGES.PATCH(await newPet(), { 'If-None-Match': 'x' });
  expect([answer.status, answer.text]).toEqual([
    400,
    errorBody(400, 'BAD_USER_INPUT', 'If-None-Match must be * or entity tags such as "abc"'),
  ]);
});
