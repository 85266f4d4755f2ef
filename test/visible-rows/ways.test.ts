import { expect, onTestFinished, test } from 'vitest';
import type { Answer } from '../support/gateway.ts';
import { memberAt, objectsIn } from '../support/json-members.ts';
import { requestOn, restRequestOn, trustDocument, WAYS, type Way } from '../access/matrix/ways.ts';
import { serveOwnedNotes, type Caller } from './owned-notes.ts';
import { HIDDEN_ROW, type HiddenIds, type Outcome } from './ways.ts';

/* On each way, a row is hidden from a caller that saw it, and then removed: the caller can't distinguish the two. */

const { as, database } = await serveOwnedNotes();
const [ann, staff] = [as('ann'), as('staff')];

type Attempt = (caller: Caller) => Promise<Answer>;

const cells = WAYS.flatMap((way) => {
  const [graphql, rest] = [HIDDEN_ROW.graphql[way], HIDDEN_ROW.rest[way]];
  return [
    { surface: 'GraphQL', way, outcome: graphql.outcome, graphql },
    ...(rest ? [{ surface: 'REST', way, outcome: rest.outcome, rest }] : []),
  ];
});

/** The ids of a note of ann's in a folder of hers, in which note 1 can be, too. */
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

async function attemptOf(cell: (typeof cells)[number], ids: HiddenIds): Promise<Attempt> {
  if ('graphql' in cell) {
    const { query } = cell.graphql;
    await trustDocument(database, query);
    const [path, init] = requestOn(cell.way, { query, variables: { ...ids } });
    return ({ request }) => request(path, withSameId(init));
  }
  const [path, init] = restRequestOn(cell.way, cell.rest.request(ids));
  return ({ request }) => request(path, withSameId(init));
}

function withSameId({ headers, ...init }: RequestInit): RequestInit {
  const all = new Headers(headers);
  all.set('X-Request-Id', 'same');
  return { ...init, headers: all };
}

/** The answers to ann, who still sees the rows, on a way that begins with them. */
async function answersBefore(way: Way, attempt: Attempt): Promise<Answer[]> {
  return way === 'compiled, after an allowed one' || way === 'replay of what was allowed'
    ? [await attempt(ann), await attempt(ann), await attempt(ann)]
    : [];
}

/** The answers to ann, from whom the rows are hidden, and to staff, who see them. */
async function answersOn(way: Way, attempt: Attempt): Promise<[Answer[], Answer[]]> {
  if (way !== 'coalesced with an allowed one') {
    const hidden = await attempt(ann);
    return [[hidden], [await attempt(staff)]];
  }
  const both = await Promise.all(
    Array.from({ length: 8 }, () => Promise.all([attempt(staff), attempt(ann)])),
  );
  return [both.map(([, hidden]) => hidden), both.map(([seen]) => seen)];
}

const HEADERS = ['Link', 'Location', 'X-Total-Count', 'Last-Modified', 'Content-Length'];

/** All of an answer that could reveal a row. Only note 1 has another version without its folder: a foreign key is its own. */
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

const STATUSES: Readonly<Record<Outcome, number>> = {
  absent: 200,
  null: 200,
  '404': 404,
  '400': 400,
};
const SECRET = /secret/;
const REVEALING = { status: 200, text: expect.stringMatching(SECRET) as unknown };

test.each(cells)('a hidden row is like none: $surface, $way: $outcome', async (cell) => {
  const { way, outcome } = cell;
  const ids = await createRows(way);
  const attempt = await attemptOf(cell, ids);
  const before = await answersBefore(way, attempt);
  await hideRows(ids);
  const [hidden, seen] = await answersOn(way, attempt);
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
});

const tagsOfNote1 = () =>
  Promise.all(
    [ann, staff].map(async ({ request }) => (await request('/v1/notes/1')).headers.get('ETag')),
  );

test('the version of a row does not depend on the hidden row it refers to', async () => {
  const ids = await createRows('nested relation');
  await hideRows(ids);
  const [hidden, seen] = await tagsOfNote1();
  await database.folder.update({ where: { id: BigInt(ids.folder) }, data: { name: 'renamed' } });
  const [stillHidden, changed] = await tagsOfNote1();
  expect(hidden).toMatch(/^"/);
  expect(stillHidden).toBe(hidden);
  expect(changed).not.toBe(seen);
});

test('each way is tried in both APIs if both have it', () => {
  const triedOn = Object.groupBy(cells, ({ surface }) => surface);
  expect(triedOn['GraphQL']?.map(({ way }) => way)).toEqual(WAYS);
  const onlyGraphQL = new Set<Way>(['several aliases', 'trusted document', 'GET with a query']);
  const ofRest = WAYS.filter((way) => !onlyGraphQL.has(way));
  expect(triedOn['REST']?.map(({ way }) => way)).toEqual(ofRest);
});
