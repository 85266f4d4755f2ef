import { expect, test } from 'vitest';
import { answerAbout, serveNotebooks } from './serve-notebooks.ts';

/* What callers can write, and that no answer to it tells of hidden rows. */

const { as, database } = await serveNotebooks();
const [ann, bob] = await Promise.all([as('ann'), as('bob')]);

const titleOf = async (id: bigint) =>
  (await database.note.findUnique({ where: { id } }))?.title ?? null;

test.each([
  ['PATCH', { title: 'taken' }, {}],
  ['PATCH', { title: 'taken' }, { 'If-Match': '"x"' }],
  ['PATCH', { title: 'taken' }, { 'If-Match': '*' }],
  ['PATCH', { title: 'taken' }, { 'Idempotency-Key': 'first' }],
  ['PATCH', { ownerId: 1 }, {}],
  ['PATCH', { ownerId: 2 }, {}],
  ['PATCH', { folderId: 999 }, {}],
  ['PATCH', { folderId: 2 }, {}],
  ['PATCH', {}, {}],
  ['DELETE', undefined, {}],
  ['DELETE', undefined, { 'If-Match': '"x"' }],
  ['DELETE', undefined, { 'Idempotency-Key': 'second' }],
])('%s of a hidden row is answered as of none: %j %j', async (method, body, headers) => {
  const [hidden, none] = await Promise.all(
    ['3', '9'].map(async (id) =>
      answerAbout(
        await ann.send(method, `/v1/notes/${id}`, body, { ...headers, 'X-Request-Id': 'same' }),
        id,
      ),
    ),
  );
  expect(hidden).toEqual(none);
  expect(hidden?.status).toBeGreaterThanOrEqual(400);
  expect(await titleOf(3n)).toBe('bob-1');
});

test('a visible row is changed and removed as without a rule, also one of several owners', async () => {
  const { headers } = await bob.request('/v1/notes/4');
  const tag = headers.get('ETag') ?? '';
  expect(
    await bob.send('PATCH', '/v1/notes/4', { title: 'x' }, { 'If-Match': '"y"' }),
  ).toMatchObject({ status: 412 });
  const once = { 'If-Match': tag, 'Idempotency-Key': 'change' };
  for (const title of ['changed', 'changed']) {
    expect(await bob.send('PATCH', '/v1/notes/4', { title }, once)).toMatchObject({
      status: 200,
      json: { title: 'changed', ownerId: 2 },
    });
  }
  // From one that is seen to another.
  expect(await bob.send('PATCH', '/v1/notes/4', { ownerId: 3 })).toMatchObject({ status: 200 });
  for (const key of [{ 'Idempotency-Key': 'remove' }, { 'Idempotency-Key': 'remove' }]) {
    expect(await bob.send('DELETE', '/v1/notes/4', undefined, key)).toMatchObject({ status: 204 });
  }
  expect(await bob.request('/v1/notes/4')).toMatchObject({ status: 404 });
});

test('no row is moved or created where the caller does not see it', async () => {
  const note = { title: 'new', topicId: 1, code: 50 };
  const refused = {
    status: 400,
    json: { code: 'BAD_USER_INPUT', message: 'ownerId has a value that is not allowed' },
  };
  expect(await ann.send('PATCH', '/v1/notes/1', { ownerId: 2 })).toMatchObject(refused);
  expect(await ann.send('POST', '/v1/notes', { ...note, ownerId: 2 })).toMatchObject(refused);
  const nobody = await as('nobody');
  expect(await nobody.send('POST', '/v1/notes', { ...note, ownerId: 1 })).toMatchObject(refused);
  const own = await ann.send('POST', '/v1/notes', { ...note, ownerId: 1 });
  expect(own).toMatchObject({ status: 201, json: { title: 'new', ownerId: 1, folder: null } });
});

test('a column that can have one value gets it', async () => {
  const create = `mutation { createFolder(input: { name: "new" }) { id name } }`;
  expect((await ann.graphql(create)).json).toMatchObject({
    data: { createFolder: { name: 'new' } },
  });
  const made = await database.folder.findMany({ where: { name: 'new' } });
  expect(made.map(({ ownerId }) => ownerId)).toEqual([1n]);
  expect((await bob.graphql(create)).json).toMatchObject({
    errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
  });
});

test.each([
  ['POST', '/v1/notes', { title: 'new', ownerId: 1, topicId: 1, code: 60 }],
  ['PATCH', '/v1/notes/1', {}],
  ['PATCH', '/v1/notes/3', {}],
])('%s %s: a reference to a hidden row is one to none', async (method, path, body) => {
  const refer = (folderId: number, headers = {}) =>
    ann.send(method, path, { ...body, folderId }, { 'X-Request-Id': 'same', ...headers });
  const [hidden, none] = [await refer(2), await refer(999)];
  expect(hidden).toMatchObject({
    status: 400,
    json: { code: 'BAD_USER_INPUT', message: 'folderId refers to something that does not exist' },
  });
  expect(hidden.text).toBe(none.text);
  const keyed = await refer(2, { 'Idempotency-Key': `of-${path.length}-${method}` });
  expect(keyed.text).toBe(none.text);
});

test('to see what it refers to, the caller’s own row has to be visible only', async () => {
  expect(await ann.send('PATCH', '/v1/notes/1', { folderId: 1 })).toMatchObject({
    status: 200,
    json: { folder: { name: 'of 1' } },
  });
});

const create = (code: number) =>
  ann.send('POST', '/v1/notes', { title: 'new', ownerId: 1, topicId: 1, code });

test('a conflict is one with a row that is seen', async () => {
  // Bob's code of the same team is no conflict.
  expect(await create(2)).toMatchObject({ status: 201 });
  expect(await create(2)).toMatchObject({ status: 409 });
});

test('a replay shows a row only as long as it is seen', async () => {
  const note = { title: 'mine', ownerId: 1, topicId: 1, code: 70 };
  const replay = () => ann.send('POST', '/v1/notes', note, { 'Idempotency-Key': 'replayed' });
  const first = await replay();
  const again = await replay();
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.text).toBe(first.text);
  const created = await database.note.findFirstOrThrow({ where: { title: 'mine' } });
  await database.note.update({ where: { id: created.id }, data: { ownerId: 4n } });
  const hidden = await replay();
  expect(hidden).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
  expect(hidden.headers.get('Location')).toBeNull();
  await database.note.delete({ where: { id: created.id } });
  expect((await replay()).text).toBe(hidden.text);
});

const withoutFolder = ({ text }: { readonly text: string }) =>
  text.replace('{"name":"for a while"}', 'null');

test('what was done under a key is answered though its data would be refused by now', async () => {
  const folder = await database.folder.create({
    data: { name: 'for a while', team: 'red', rank: 1, ownerId: 1n },
  });
  const note = { title: 'kept', ownerId: 1, topicId: 1, code: 71, folderId: Number(folder.id) };
  const add = () => ann.send('POST', '/v1/notes', note, { 'Idempotency-Key': 'added' });
  const added = await add();
  expect(added.status).toBe(201);
  const path = `/v1/${added.headers.get('Location')}`;
  const move = () =>
    ann.send('PATCH', path, { folderId: note.folderId }, { 'Idempotency-Key': 'moved' });
  const moved = await move();
  await database.folder.update({ where: { id: folder.id }, data: { ownerId: 2n } });
  expect([(await add()).text, (await move()).text]).toEqual([
    withoutFolder(added),
    withoutFolder(moved),
  ]);
  const refused = await ann.send('POST', '/v1/notes', note, { 'Idempotency-Key': 'other' });
  expect(refused.status).toBe(400);
});
