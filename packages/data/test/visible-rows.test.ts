import { expect, test } from 'vitest';
import type { DataField, DataModel } from '../src/visible/rules.ts';
import { visibleRows } from '../src/visible/visible-rows.ts';
import { columnField, openClients } from './clients.ts';

const { batched, engine, answeredBy, statements, pool } = await openClients();
await pool.query(`INSERT INTO "Author" (name, email)
  VALUES ('ann', 'ann@example.com'), ('bob', 'bob@example.com'), ('eve', 'eve@example.com')`);
await pool.query(`INSERT INTO "Book" (title, author_id)
  VALUES ('of ann', 1), ('of bob', 2), ('of eve', 3)`);

const relation = (name: string, others: object) => columnField(name, { kind: 'object', ...others });
const refusals = { value: () => new Error('value'), reference: () => new Error('reference') };

const modelWith = (...fields: readonly DataField[]): DataModel => ({
  fields,
  primaryKey: null,
  uniqueIndexes: [],
});
const dataModels = {
  Author: modelWith(
    columnField('id', { type: 'Int', isId: true, hasDefaultValue: true }),
    columnField('name'),
    columnField('email', { isUnique: true }),
    relation('books', { type: 'Book', isList: true }),
  ),
  Book: modelWith(
    columnField('id', { type: 'BigInt', isId: true, hasDefaultValue: true }),
    columnField('title'),
    relation('author', { type: 'Author', relationFromFields: ['authorId'] }),
  ),
};

/** Returns a client that sees only the authors with these names, or all authors for `true`. */
const visibleTo = visibleRows(batched, {
  models: dataModels,
  rules: {
    Author: {
      columns: ['name'],
      where: (names: readonly string[] | true) =>
        names === true || (names.length === 0 ? undefined : { name: { in: names } }),
    },
  },
  refusals,
});

const BOOKS = {
  orderBy: { id: 'asc' },
  take: 5,
  select: { title: true, author: { select: { name: true } } },
} as const;

/** All data that PostgreSQL sent, read by running the statements again. */
async function sent(): Promise<string> {
  const results: unknown[] = [];
  for (const { statement, parameters } of statements) {
    results.push((await pool.query(statement.text, [...parameters])).rows);
  }
  return JSON.stringify(results);
}

test.each([
  [['ann'], ['ann', null, null]],
  [
    ['ann', 'bob'],
    ['ann', 'bob', null],
  ],
  [[], [null, null, null]],
  [true as const, ['ann', 'bob', 'eve']],
])('PostgreSQL returns only the visible rows of a relation: %j', async (names, shown) => {
  statements.length = 0;
  answeredBy.length = 0;
  const books = await visibleTo(names).book.findMany(BOOKS);
  expect(books.map(({ author }) => author)).toEqual(shown.map((name) => name && { name }));
  expect(answeredBy.filter((name) => name.startsWith('engine'))).toEqual([]);
  const texts = await sent();
  for (const name of ['ann', 'bob', 'eve']) {
    expect(texts.includes(`${name}@example.com`)).toBe(shown.includes(name));
  }
});

test('callers that select a relation with the same arguments see only the rows visible to them', async () => {
  const found = await Promise.all(
    ['ann', 'bob', 'eve'].map((name) => visibleTo([name]).book.findMany(BOOKS)),
  );
  expect(found.map((books) => books.map(({ author }) => author?.name))).toEqual([
    ['ann', undefined, undefined],
    [undefined, 'bob', undefined],
    [undefined, undefined, 'eve'],
  ]);
});

/** Returns a client that sees only the author with this email address, by a rule on a unique column. */
const visibleByEmail = visibleRows(batched, {
  models: dataModels,
  rules: { Author: { columns: ['email'], where: (email: string) => ({ email }) } },
  refusals,
});
const { author: ann } = visibleByEmail('ann@example.com');

/** A `where` without a unique value, which types forbid but JavaScript allows. */
const NO_ROW = Object.assign({ id: 1 }, { id: undefined });

test('findUnique returns a row only if it is visible', async () => {
  const own = await ann.findUnique({ where: { id: 1 } });
  expect(own).toMatchObject({ name: 'ann' });
  expect(await ann.findUnique({ where: { id: 2 } })).toBeNull();
  expect(await ann.findUnique({ where: { email: 'ann@example.com' } })).toEqual(own);
  expect(await ann.findUnique({ where: { email: 'bob@example.com' } })).toBeNull();
});

test.each([
  ['findUnique', () => ann.findUnique({ where: NO_ROW })],
  ['update', () => ann.update({ where: NO_ROW, data: { name: 'changed' } })],
  ['delete', () => ann.delete({ where: NO_ROW })],
])(
  '%s rejects a where without a unique column, even if the visibility rule has one',
  async (_operation, call) => {
    await expect(call()).rejects.toThrow('needs at least one of `id` or `email`');
    expect(await engine.author.findMany({ where: { name: 'ann' } })).toHaveLength(1);
  },
);
