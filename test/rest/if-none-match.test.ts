import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { changesOf } from '../support/conditional-changes.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';

/* If-None-Match of changes with entity tags (RFC 9110, 13.1.2). */

const gateway = await startGateway();
const { request } = gateway;
const { newAnimal, change } = changesOf(gateway);

const EXCLUDED = errorBody(
  412,
  'PRECONDITION_FAILED',
  'The current version is one of those that the request excludes',
);
/** An entity tag of a row that there isn't. */
const OTHER = `"${'x'.repeat(22)}-${'A'.repeat(27)}="`;

test.each(['PATCH', 'DELETE'] as const)(
  'a %s with If-None-Match is 412 of a version in it, also of a weakened tag, and done of any other',
  async (method) => {
    const { path, etag, text } = await newAnimal();
    for (const header of [etag, `W/${etag}`, `"x", ${etag.replace(/"$/, '-gzip"')}`]) {
      const answer = await change(method, path, { 'If-None-Match': header });
      expect([answer.status, answer.text]).toEqual([412, EXCLUDED]);
    }
    expect((await request(path)).text).toBe(text);
    const listTag = (await request('/v1/pets')).headers.get('ETag') ?? '';
    for (const header of [OTHER, `"x", ${OTHER}`, listTag]) {
      const animal = await newAnimal();
      const { status } = await change(method, animal.path, { 'If-None-Match': header });
      expect(status).toBe(method === 'PATCH' ? 200 : 204);
      expect((await change(method, '/v1/pets/0', { 'If-None-Match': header })).status).toBe(404);
    }
  },
);

test('If-None-Match beside If-Match lets pass what both do', async () => {
  const { path, etag } = await newAnimal();
  const statuses: (number | undefined)[] = [];
  for (const [ifMatch, ifNoneMatch] of [
    [etag, etag],
    ['"x"', OTHER],
    [OTHER.replace('"x', '"!x'), OTHER],
    ['*', etag],
    [etag, OTHER],
  ] as const) {
    const headers = { 'If-Match': ifMatch, 'If-None-Match': ifNoneMatch };
    statuses.push((await change('PATCH', path, headers)).status);
  }
  expect(statuses).toEqual([412, 412, 412, 412, 200]);
});

test('changes at the same time are all done if each excludes a version that the row never has', async () => {
  const { path } = await newAnimal();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      change('PATCH', path, { 'If-None-Match': OTHER, 'Idempotency-Key': randomUUID() }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array<number>(8).fill(200));
});

test('an If-None-Match of a change that is no list of entity tags is 400', async () => {
  const { path } = await newAnimal();
  const answer = await change('PATCH', path, { 'If-None-Match': 'x' });
  expect([answer.status, answer.text]).toEqual([
    400,
    errorBody(400, 'BAD_USER_INPUT', 'If-None-Match must be * or entity tags such as "abc"'),
  ]);
});
