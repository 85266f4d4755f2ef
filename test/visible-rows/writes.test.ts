import { expect, test } from 'vitest';
import { answerAbout, serveOwnedNotes } from './owned-notes.ts';

/* What callers can write. No response to a write reveals a hidden row. */

const { as, database } = await serveOwnedNotes();
const [ann, bob] = [as('ann'), as('bob')];

const NOTE = { title: 'new', ownerId: 1, team: 'red', code: 50, rank: 0, topicId: 1 };

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
])(
  '%s of a hidden row gets the same response as for a missing row: %j %j',
  async (method, body, headers) => {
    const [hidden, none] = await Promise.all(
      ['3', '9'].map(async (id) =>
        answerAbout(await ann.send(method, `/v1/notes/${id}`, body, headers), id),
      ),
    );
    expect(hidden).toEqual(none);
    expect(hidden?.status).toBeGreaterThanOrEqual(400);
    expect(await database.note.findUnique({ where: { id: 3n } })).toMatchObject({ title: 'bob-1' });
  },
);

test('a caller who sees rows from several owners can change, move and delete them', async () => {
  const { headers } = await bob.request('/v1/notes/4');
  const stale = { 'If-Match': '"y"' };
  expect(await bob.send('PATCH', '/v1/notes/4', { title: 'x' }, stale)).toMatchObject({
    status: 412,
  });
  const once = { 'If-Match': headers.get('ETag') ?? '', 'Idempotency-Key': 'change' };
  for (const title of ['changed', 'changed']) {
    expect(await bob.send('PATCH', '/v1/notes/4', { title }, once)).toMatchObject({
      status: 200,
      json: { title: 'changed', ownerId: 2 },
    });
  }
  expect(await bob.send('PATCH', '/v1/notes/4', { ownerId: 3 })).toMatchObject({ status: 200 });
  for (const key of [{ 'Idempotency-Key': 'remove' }, { 'Idempotency-Key': 'remove' }]) {
    expect(await bob.send('DELETE', '/v1/notes/4', undefined, key)).toMatchObject({ status: 204 });
  }
  expect(await bob.request('/v1/notes/4')).toMatchObject({ status: 404 });
});

test('a row cannot be created where, or moved to where, the caller would not see it', async () => {
  const refused = {
    status: 400,
    json: { code: 'BAD_USER_INPUT', message: 'ownerId has a value that is not allowed' },
  };
  expect(await ann.send('PATCH', '/v1/notes/1', { ownerId: 2 })).toMatchObject(refused);
  expect(await ann.send('POST', '/v1/notes', { ...NOTE, ownerId: 2 })).toMatchObject(refused);
  expect(await as('nobody').send('POST', '/v1/notes', NOTE)).toMatchObject(refused);
  expect(await ann.send('POST', '/v1/notes', NOTE)).toMatchObject({
    status: 201,
    json: { title: 'new', ownerId: 1, folder: null },
  });
});

test('a column for which the row rule allows only one value is set to that value', async () => {
  const folder = { name: 'new', team: 'red', rank: 0 };
  expect(await ann.send('POST', '/v1/folders', folder)).toMatchObject({
    status: 201,
    json: { name: 'new', ownerId: 1 },
  });
  expect(await bob.send('POST', '/v1/folders', folder)).toMatchObject({
    status: 400,
    json: { code: 'BAD_USER_INPUT' },
  });
});

test.each([
  ['POST', '/v1/notes', { ...NOTE, code: 60 }],
  ['PATCH', '/v1/notes/1', {}],
  ['PATCH', '/v1/notes/3', {}],
])(
  '%s %s treats a reference to a hidden row like a reference to a missing row',
  async (method, path, body) => {
    const refer = (folderId: number, headers = {}) =>
      ann.send(method, path, { ...body, folderId }, headers);
    const [hidden, none] = [await refer(2), await refer(999)];
    expect(hidden).toMatchObject({
      status: 400,
      json: { code: 'BAD_USER_INPUT', message: 'folderId refers to something that does not exist' },
    });
    expect(hidden.text).toBe(none.text);
    const keyed = await refer(2, { 'Idempotency-Key': `of-${path.length}-${method}` });
    expect(keyed.text).toBe(none.text);
  },
);

test('a row may refer to a visible row', async () => {
  expect(await ann.send('PATCH', '/v1/notes/1', { folderId: 1 })).toMatchObject({
    status: 200,
    json: { folder: { name: 'of 1' } },
  });
});

const create = () => ann.send('POST', '/v1/notes', { ...NOTE, code: 2 });

test('a row conflicts only with visible rows', async () => {
  // Bob's note has the same code and team.
  expect(await create()).toMatchObject({ status: 201 });
  expect(await create()).toMatchObject({ status: 409 });
});

test('a replay shows a row only while the row is visible', async () => {
  const note = { ...NOTE, title: 'mine', code: 70 };
  const replay = () => ann.send('POST', '/v1/notes', note, { 'Idempotency-Key': 'replayed' });
  const first = await replay();
  const again = await replay();
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.text).toBe(first.text);
  const { id } = await database.note.findFirstOrThrow({ where: { title: 'mine' } });
  await database.note.update({ where: { id }, data: { ownerId: 4n } });
  const hidden = await replay();
  expect(hidden).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
  expect(hidden.headers.get('Location')).toBeNull();
  await database.note.delete({ where: { id } });
  expect((await replay()).text).toBe(hidden.text);
});

test('a write under an idempotency key is replayed even if its data would now be rejected', async () => {
  const { id } = await database.folder.create({
    data: { name: 'for a while', team: 'red', rank: 1, ownerId: 1n },
  });
  const note = { ...NOTE, code: 71, folderId: Number(id) };
  const add = (key = 'added') => ann.send('POST', '/v1/notes', note, { 'Idempotency-Key': key });
  const added = await add();
  expect(added.status).toBe(201);
  const path = `/v1/${added.headers.get('Location')}`;
  const move = () =>
    ann.send('PATCH', path, { folderId: note.folderId }, { 'Idempotency-Key': 'moved' });
  const moved = await move();
  await database.folder.update({ where: { id }, data: { ownerId: 2n } });
  expect([(await add()).text, (await move()).text]).toEqual(
    [added, moved].map(({ text }) => text.replace(/\{"id":\d+,"name":"for a while"\}/, 'null')),
  );
  expect((await add('other')).status).toBe(400);
});
