import { expect, test } from 'vitest';
import { answerAbout, serveNotebooks } from './serve-notebooks.ts';

/* Which rows callers see of what they read. */

const { as } = await serveNotebooks();
const [ann, bob, staff] = await Promise.all([as('ann'), as('bob'), as('staff')]);

test.each([
  [ann, ['ann-1', 'ann-2']],
  [bob, ['bob-1', 'bob-2', 'bob-3']],
  [staff, ['ann-1', 'ann-2', 'bob-1', 'bob-2', 'bob-3', 'eve-1']],
])('lists, pages, counts and relations have the rows of the caller', async (caller, titles) => {
  const notes = titles.map((title) => ({ title }));
  const { json } = await caller.graphql(`{
    notes { title }
    ordered: notes(orderBy: [TITLE_DESC]) { title }
    some: notes(ids: [1, 2, 3, 4, 5, 6]) { title }
    page: notesConnection(first: 1) { nodes { title } totalCount pageInfo { hasNextPage } }
    topic(id: 1) { notes { title } }
    topics { notes(limit: 50) { title } }
  }`);
  expect(json).toEqual({
    data: {
      notes,
      ordered: notes.toReversed(),
      some: notes,
      page: {
        nodes: notes.slice(0, 1),
        totalCount: notes.length,
        pageInfo: { hasNextPage: true },
      },
      topic: { notes },
      topics: [{ notes }, { notes: [] }],
    },
  });
  const listed = await caller.request('/v1/notes?limit=50');
  expect(listed.json).toMatchObject(notes);
  expect(listed.headers.get('X-Total-Count')).toBe(String(notes.length));
});

test('the last page ends where the visible rows do', async () => {
  const { json, headers } = await ann.request('/v1/notes?limit=2');
  expect(json).toHaveLength(2);
  expect(headers.get('Link')).not.toContain('next');
});

test.each(['promise', 'undefined', 'empty', 'null', 'other', 'nobody'])(
  'only true is all rows, and only columns of the rule decide: %s sees none',
  async (name) => {
    const caller = await as(name);
    const { json } = await caller.graphql(`{
      notes { title } notesConnection(first: 2) { totalCount nodes { id } }
      topics { notes { title } }
    }`);
    expect(json).toEqual({
      data: {
        notes: [],
        notesConnection: { totalCount: 0, nodes: [] },
        topics: [{ notes: [] }, { notes: [] }],
      },
    });
    expect(await caller.request('/v1/notes/1')).toMatchObject({ status: 404 });
    expect(await caller.own('counted')).toEqual({ data: { own: 0 } });
  },
);

test('a hidden row is answered as one that is not there, on both surfaces', async () => {
  for (const method of ['GET', 'HEAD']) {
    const [hidden, none] = await Promise.all(
      ['3', '8'].map(async (id) =>
        answerAbout(await ann.request(`/v1/notes/${id}`, { method }), id),
      ),
    );
    expect(hidden).toMatchObject({ status: 404, tag: null });
    expect(hidden).toEqual(none);
  }
  const [hidden, none] = await Promise.all(
    ['3', '8'].map(async (id) =>
      answerAbout(
        await ann.graphql('query($id: ID!) { note(id: $id) { id } other: note(id: 1) { id } }', {
          id,
        }),
        id,
      ),
    ),
  );
  expect(hidden?.text).toContain('NOT_FOUND');
  expect(hidden).toEqual(none);
});

test('a relation to a hidden row is null, however it is reached', async () => {
  const ofAnn = await ann.graphql(`{
    note(id: 1) { folder { name } }
    notes { folder { name notes(orderBy: [TITLE_ASC]) { title folder { name } } } }
  }`);
  expect(ofAnn.json).toEqual({
    data: {
      note: { folder: null },
      notes: [
        { folder: null },
        { folder: { name: 'of 1', notes: [{ title: 'ann-2', folder: { name: 'of 1' } }] } },
      ],
    },
  });
  expect((await bob.request('/v1/notes/5')).json).toMatchObject({ folder: { name: 'of 2' } });
});

const page = async (after: string) => (await bob.request(`/v1/notes?limit=1&after=${after}`)).json;

test('a page behind a hidden row begins as one behind none', async () => {
  expect(await page('2')).toMatchObject([{ title: 'bob-1' }]);
  expect(await page('6')).toEqual(await page('8'));
});
