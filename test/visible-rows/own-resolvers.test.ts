import { expect, test } from 'vitest';
import { serveNotebooks } from './serve-notebooks.ts';

/* What resolvers of a store's own ask the database for can't go round its rules: API Platform's CVE-2025-31481 and the like. */

const { as, database } = await serveNotebooks();
const [ann, staff] = await Promise.all([as('ann'), as('staff')]);

test.each([
  ['counted', 2, 6],
  ['first', null, { title: 'bob-1' }],
  ['byRelation', [], [{ name: 'one' }]],
  ['byNegation', 0, 1],
  ['ofRelation', 0, 3],
  ['relationCount', { _count: { notes: 2 } }, { _count: { notes: 6 } }],
  ['inTransaction', 2, 6],
  ['inTransactions', [2, 2], [6, 2]],
  ['unrestricted', 6, 6],
])('%s has the rows of the caller', async (ask, ofAnn, ofStaff) => {
  expect(await ann.own(ask)).toMatchObject({ data: { own: ofAnn } });
  expect(await staff.own(ask)).toMatchObject({ data: { own: ofStaff } });
});

test.each([
  ['grouped', [{ _count: 2, ownerId: '1' }]],
  ['included', { notes: [{ title: 'ann-1' }, { title: 'ann-2' }] }],
])('%s has nothing of other rows', async (ask, ofAnn) => {
  expect(await ann.own(ask)).toMatchObject({ data: { own: ofAnn } });
});

test.each(['every', 'ordered', 'cursor', 'connected', 'nested', 'sql', 'extended'])(
  '%s would tell of other rows, and is refused',
  async (ask) => {
    expect(await ann.own(ask)).toMatchObject({
      errors: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
    });
  },
);

test('who sees all rows may ask for what tells of them', async () => {
  expect(await staff.own('every')).toEqual({ data: { own: 2 } });
  expect(await staff.own('cursor')).toEqual({ data: { own: 4 } });
});

test('what was added for a rule to be looked at is not given', async () => {
  expect(await ann.own('selected')).toEqual({
    data: { own: [{ title: 'ann-1', folder: null }] },
  });
});

test('changes of several rows are of the visible ones', async () => {
  expect(await ann.own('raised')).toEqual({ data: { own: { count: 2 } } });
  const raised = await database.note.findMany({ where: { rank: 1 }, orderBy: { id: 'asc' } });
  expect(raised.map(({ title }) => title)).toEqual(['ann-1', 'ann-2']);
});

test('what a store mounts sees nothing, unless it asks for a caller’s rows or all', async () => {
  expect(await ann.request('/mounted')).toMatchObject({ json: [0, 2, 6] });
});
