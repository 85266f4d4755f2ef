import { afterAll, expect, test } from 'vitest';
import { visibleRows } from '../src/visible/visible-rows.ts';
import { openClients } from './clients.ts';
import { authorModel, columnField } from './data-fields.ts';

const { batched, engine, pool, close } = await openClients();
afterAll(close);
await pool.query(
  `INSERT INTO "Author" (name, email) VALUES ('own', 'own@example.com'), ('hidden', 'hidden@example.com')`,
);

/** Sees the author with this address alone: by a unique column. */
const visibleTo = visibleRows(batched, {
  models: {
    Author: authorModel(columnField('email', { isUnique: true })),
  },
  rules: { Author: { columns: ['email'], where: (email: string) => ({ email }) } },
  refusals: { value: () => new Error('value'), reference: () => new Error('reference') },
});
const { author } = visibleTo('own@example.com');

/** A `where` that names no row, as JavaScript may give it. */
const NO_ROW = Object.assign({ id: 1 }, { id: undefined });

test('a row is found by its id if it is visible', async () => {
  const own = await author.findUnique({ where: { id: 1 } });
  expect(own).toMatchObject({ name: 'own' });
  expect(await author.findUnique({ where: { id: 2 } })).toBeNull();
  expect(await author.findUnique({ where: { email: 'own@example.com' } })).toEqual(own);
  expect(await author.findUnique({ where: { email: 'hidden@example.com' } })).toBeNull();
});

test.each([
  ['findUnique', () => author.findUnique({ where: NO_ROW })],
  ['update', () => author.update({ where: NO_ROW, data: { name: 'changed' } })],
  ['delete', () => author.delete({ where: NO_ROW })],
])(
  '%s rejects a where without a unique column, although the rule has one',
  async (_operation, call) => {
    await expect(call()).rejects.toThrow('needs at least one of `id` or `email`');
    expect(await engine.author.findMany({ where: { name: 'own' } })).toHaveLength(1);
  },
);
