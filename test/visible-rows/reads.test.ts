import { expect, test } from 'vitest';
import { keysOf, MISTAKES } from './design.ts';
import { answerAbout, serveOwnedNotes, type Caller } from './owned-notes.ts';

/* The rows that callers see. ways.test.ts compares hidden rows with missing ones. */

const { as, database } = await serveOwnedNotes();
const [ann, bob, staff] = [as('ann'), as('bob'), as('staff')];

test('HEAD of a hidden row gets the same response as HEAD of a missing row', async () => {
  const [hidden, missing] = await Promise.all(
    ['3', '8'].map(async (id) =>
      answerAbout(await ann.request(`/v1/notes/${id}`, { method: 'HEAD' }), id),
    ),
  );
  expect(hidden).toMatchObject({ status: 404, text: '', tag: null });
  expect(hidden).toEqual(missing);
});

/** Returns the result of one of the store's own resolvers. */
async function own(caller: Caller, ask: string, id = 1): Promise<unknown> {
  const query = `{ own(ask: ${ask}, id: ${id}, ownerId: 1, team: "red", name: "bob") }`;
  return (await caller.graphql(query)).json;
}

async function change(caller: Caller, ask: string): Promise<unknown> {
  const query = `mutation { change(ask: ${ask}, id: 1, ownerId: 1, team: "red", name: "-") }`;
  return (await caller.graphql(query)).json;
}

test.each(keysOf(MISTAKES))('a row rule that returns %s shows no rows', async (name) => {
  const caller = as(name);
  const query = `{
    notes { title } notesConnection(first: 2) { totalCount nodes { id } } topics { notes { title } }
  }`;
  expect((await caller.graphql(query)).json).toEqual({
    data: {
      notes: [],
      notesConnection: { totalCount: 0, nodes: [] },
      topics: [{ notes: [] }, { notes: [] }],
    },
  });
  expect(await caller.request('/v1/notes/1')).toMatchObject({ status: 404 });
  expect(await own(caller, 'counted')).toEqual({ data: { own: 0 } });
});

test.each([
  ['a list', '{ notes { title } }'],
  ['a relation', '{ topics { notes { title } } }'],
  [
    "one of the store's own resolvers",
    '{ own(ask: counted, id: 1, ownerId: 1, team: "red", name: "bob") }',
  ],
  ['a count', '{ notesConnection(first: 1) { totalCount } }'],
])(
  "%s returns each caller's own rows when many callers send requests at once",
  async (_what, query) => {
    // For example, API Platform's CVE-2019-1000011.
    const ask = async ({ graphql }: Caller) => (await graphql(query)).text;
    const callers = [ann, bob, staff];
    const alone = await Promise.all(callers.map(ask));
    expect(new Set(alone).size).toBe(callers.length);
    for (let round = 0; round < 4; round += 1) {
      const together = Array.from({ length: 5 }, () => callers.map(ask)).flat();
      expect(await Promise.all(together)).toEqual(Array.from({ length: 5 }, () => alone).flat());
    }
  },
);

/* The store's own resolvers cannot bypass its rules, as in API Platform's CVE-2025-31481. */

test.each([
  ['counted', 2, 6],
  ['grouped', [{ _count: 2, ownerId: '1' }], [{ _count: 2 }, { _count: 2 }, {}, {}]],
  ['first', null, { title: 'bob-1' }],
  ['byRelation', [], [{ name: 'one' }]],
  ['byNegation', 0, 1],
  ['ofRelation', 0, 3],
  ['relationCount', { _count: { notes: 2 } }, { _count: { notes: 6 } }],
  ['included', { notes: [{}, {}] }, { notes: [{}, {}, {}, {}, {}, {}] }],
  ['inTransaction', 2, 6],
  ['inTransactions', [2, 1], [6, 2]],
])(
  "the store's own resolver %s reads only rows that the caller may see",
  async (ask, ofAnn, ofStaff) => {
    expect(await own(ann, ask)).toMatchObject({ data: { own: ofAnn } });
    expect(await own(staff, ask)).toMatchObject({ data: { own: ofStaff } });
  },
);

test('a column that is only read for a row rule is not returned', async () => {
  expect(await own(ann, 'selected', 2)).toEqual({
    data: {
      own: [
        { title: 'ann-1', folder: null },
        { title: 'ann-2', folder: { name: 'of 1' } },
      ],
    },
  });
});

const REFUSED = { errors: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }] };

test.each(['every', 'ordered', 'cursor', 'sql', 'extended'])(
  "the store's own resolver %s would reveal hidden rows, so it fails",
  async (ask) => {
    expect(await own(ann, ask)).toMatchObject(REFUSED);
  },
);

test.each(['connected', 'nested', 'upserted'])(
  "the store's own mutation %s would reveal hidden rows, so it fails",
  async (ask) => {
    expect(await change(ann, ask)).toMatchObject(REFUSED);
  },
);

test('a caller who sees all rows may make calls that would reveal hidden rows to others', async () => {
  expect(await own(staff, 'every')).toEqual({ data: { own: 2 } });
  expect(await own(staff, 'cursor', 3)).toEqual({ data: { own: 4 } });
});

test("a handler that the store mounts can read no rows, the caller's rows, or all rows", async () => {
  expect(await ann.request('/mounted')).toMatchObject({ json: [0, 2, 6] });
});

test('a change to several rows changes only the visible ones', async () => {
  expect(await change(ann, 'raised')).toEqual({ data: { change: { count: 2 } } });
  const raised = await database.note.findMany({ where: { rank: 1 }, orderBy: { id: 'asc' } });
  expect(raised.map(({ title }) => title)).toEqual(['ann-1', 'ann-2']);
});
