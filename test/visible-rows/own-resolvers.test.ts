import { expect, test } from 'vitest';
import { serveNotebooks } from './serve-notebooks.ts';

/* What resolvers of a store's own ask the database for can't go round its rules: API Platform's CVE-2025-31481 and the like. */

const { as, database } = await serveNotebooks();
const [ann, staff] = await Promise.all([as('ann'), as('staff')]);
const REFUSED = 'INTERNAL_SERVER_ERROR';

test.each([
  ['counted', 2, 6],
  ['grouped', [{ _count: 2, ownerId: '1' }], undefined],
  ['first', null, { title: 'bob-1' }],
  ['byRelation', [], [{ name: 'one' }]],
  ['byNegation', 0, 1],
  ['ofRelation', 0, 3],
  ['relationCount', { _count: { notes: 2 } }, { _count: { notes: 6 } }],
  ['included', { notes: [{ title: 'ann-1' }, { title: 'ann-2' }] }, undefined],
  ['selected', [{ title: 'ann-1', folder: null }], undefined],
  ['inTransaction', 2, 6],
  ['inTransactions', [2, 2], [6, 2]],
  ['unrestricted', 6, 6],
  ['every', REFUSED, 2],
  ['ordered', REFUSED, undefined],
  ['cursor', REFUSED, 4],
  ['connected', REFUSED, REFUSED],
  ['nested', REFUSED, REFUSED],
  ['sql', REFUSED, REFUSED],
  ['extended', REFUSED, REFUSED],
])('%s', async (ask, ofAnn, ofStaff) => {
  for (const [caller, expected] of [
    [ann, ofAnn],
    [staff, ofStaff],
  ] as const) {
    if (expected === REFUSED) {
      expect(await caller.own(ask)).toMatchObject({ errors: [{ extensions: { code: REFUSED } }] });
    } else if (expected !== undefined) {
      expect(await caller.own(ask)).toMatchObject({ data: { own: expected } });
    }
  }
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
