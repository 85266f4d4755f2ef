import { expect, onTestFinished, test } from 'vitest';
import type { Answer } from '../support/gateway.ts';
import { memberAt, objectsIn } from '../support/json-members.ts';
import {
  answersOn,
  cellsOf,
  comesAfterAllowed,
  requestOn,
  WAYS,
  type Way,
} from '../access/matrix/ways.ts';
import { serveOwnedNotes, type Caller } from './owned-notes.ts';
import { HIDDEN_ROW } from './ways.ts';

/* In each way, a row is hidden from a caller that saw it, and then removed: the caller cannot tell the difference. */

const { as, database } = await serveOwnedNotes();
const [ann, staff] = [as('ann'), as('staff')];

type Attempt = (caller: Caller) => Promise<Answer>;

const cells = cellsOf(HIDDEN_ROW);

type HiddenIds = Readonly<Record<'note' | 'folder', string>>;

/** Returns the ids of a new note of ann's and its folder, which may also contain note 1. */
async function createRows(way: Way): Promise<HiddenIds> {
  const data = { ownerId: 1n, team: 'red', rank: 0 };
  const folder = await database.folder.create({ data: { ...data, name: 'secret folder' } });
  const note = await database.note.create({
    data: { ...data, title: 'secret note', code: 90, topicId: 1n, folderId: folder.id },
  });
  if (way === 'nested relation') {
    await database.note.update({ where: { id: 1n }, data: { folderId: folder.id } });
  }
  const ids = { note: String(note.id), folder: String(folder.id) };
  onTestFinished(() => removeRows(ids));
  return ids;
}

async function hideRows({ note, folder }: HiddenIds): Promise<void> {
  await database.note.update({ where: { id: BigInt(note) }, data: { ownerId: 4n } });
  await database.folder.update({ where: { id: BigInt(folder) }, data: { ownerId: 4n } });
}

async function removeRows({ note, folder }: HiddenIds): Promise<void> {
  await database.note.deleteMany({ where: { id: BigInt(note) } });
  await database.folder.deleteMany({ where: { id: BigInt(folder) } });
}

async function attemptOf({ way, probe }: (typeof cells)[number], ids: HiddenIds): Promise<Attempt> {
  const withIds = (text: string) =>
    text.replace('"FOLDER"', ids.folder).replace('FOLDER', ids.folder).replace('NOTE', ids.note);
  const given = 'query' in probe ? { ...probe, variables: ids } : probe;
  const [path, { headers, body, ...init }] = await requestOn(database, way, given);
  return ({ request }) =>
    request(withIds(path), {
      ...init,
      headers: { ...headers, 'X-Request-Id': 'same' },
      ...(body !== undefined && { body: withIds(body) }),
    });
}

const HEADERS = ['Link', 'Location', 'X-Total-Count', 'Last-Modified', 'Content-Length'];

/**
 * Everything in a response that could reveal a row, except a nested relation's entity tag: removing the folder empties
 * note 1's own foreign key, which changes its version.
 */
const revealedBy = (way: Way, { status, text, headers }: Answer) => ({
  status,
  text,
  tag: way === 'nested relation' ? null : headers.get('ETag'),
  headers: HEADERS.map((name) => headers.get(name)),
});

function statusOf({ status, json }: Answer): unknown {
  const [error] = objectsIn(memberAt(json, 'errors'));
  return error ? memberAt(error, 'extensions', 'status') : status;
}

const STATUSES: Readonly<Record<string, number>> = { absent: 200, null: 200, 404: 404, 400: 400 };
const SECRET = /secret/;
const REVEALING = { status: 200, text: expect.stringMatching(SECRET) as unknown };

test.each(cells)(
  'a hidden row is indistinguishable from a missing row: $surface, $way: $outcome',
  async (cell) => {
    const { way, outcome } = cell;
    const ids = await createRows(way);
    const attempt = await attemptOf(cell, ids);
    const before = comesAfterAllowed(way)
      ? [await attempt(ann), await attempt(ann), await attempt(ann)]
      : [];
    await hideRows(ids);
    const [hidden, seen] = await answersOn(
      way,
      () => attempt(ann),
      () => attempt(staff),
    );
    for (const answer of [...before, ...seen]) {
      expect(answer).toMatchObject(REVEALING);
    }
    await removeRows(ids);
    const none = revealedBy(way, await attempt(ann));
    for (const answer of hidden) {
      expect(revealedBy(way, answer)).toEqual(none);
      expect(answer.text).not.toMatch(SECRET);
      expect(statusOf(answer)).toBe(STATUSES[outcome]);
      expect(answer.text).toMatch(outcome === 'null' ? /"folder":null/ : /./);
    }
  },
);

const tagsOfNote1 = () =>
  Promise.all(
    [ann, staff].map(async ({ request }) => (await request('/v1/notes/1')).headers.get('ETag')),
  );

test("a row's version does not depend on a hidden row that it refers to", async () => {
  const ids = await createRows('nested relation');
  await hideRows(ids);
  const [hidden, seen] = await tagsOfNote1();
  await database.folder.update({ where: { id: BigInt(ids.folder) }, data: { name: 'renamed' } });
  const [stillHidden, changed] = await tagsOfNote1();
  expect(hidden).toMatch(/^"/);
  expect(stillHidden).toBe(hidden);
  expect(changed).not.toBe(seen);
});

test('each way is tested in both APIs if both have it', () => {
  const triedOn = Object.groupBy(cells, ({ surface }) => surface);
  expect(triedOn['GraphQL']?.map(({ way }) => way)).toEqual(WAYS);
  const onlyGraphQL = new Set<Way>(['several aliases', 'trusted document', 'GET with a query']);
  const ofRest = WAYS.filter((way) => !onlyGraphQL.has(way));
  expect(triedOn['REST']?.map(({ way }) => way)).toEqual(ofRest);
});
