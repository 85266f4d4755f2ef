import { afterAll, expect, test } from 'vitest';
import { visibleRows } from '../src/visible/visible-rows.ts';
import { openClients } from './clients.ts';
import { authorModel, columnField } from './data-fields.ts';

const { batched, answeredBy, statements, pool, close } = await openClients();
afterAll(close);
await pool.query(`INSERT INTO "Author" (name, email)
  VALUES ('ann', 'ann@example.com'), ('bob', 'bob@example.com'), ('eve', 'eve@example.com')`);
await pool.query(`INSERT INTO "Book" (title, author_id)
  VALUES ('of ann', 1), ('of bob', 2), ('of eve', 3)`);

const relation = (name: string, others: object) => columnField(name, { kind: 'object', ...others });

/** Sees the authors with these names; all for `true`. */
const visibleTo = visibleRows(batched, {
  models: {
    Author: authorModel(relation('books', { type: 'Book', isList: true })),
    Book: {
      fields: [
        columnField('id', { type: 'BigInt', isId: true, hasDefaultValue: true }),
        columnField('title'),
        relation('author', { type: 'Author', relationFromFields: ['authorId'] }),
      ],
      primaryKey: null,
      uniqueIndexes: [],
    },
  },
  rules: {
    Author: {
      columns: ['name'],
      where: (names: readonly string[] | true) =>
        names === true || (names.length === 0 ? undefined : { name: { in: names } }),
    },
  },
  refusals: { value: () => new Error('value'), reference: () => new Error('reference') },
});

const BOOKS = {
  orderBy: { id: 'asc' },
  take: 5,
  select: { title: true, author: { select: { name: true } } },
} as const;

/** All texts that PostgreSQL has sent, asked again. */
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
])('PostgreSQL sends only visible rows of a relation: %j', async (names, shown) => {
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

test('callers that share the arguments of a relation see their own rows', async () => {
  const found = await Promise.all(
    ['ann', 'bob', 'eve'].map((name) => visibleTo([name]).book.findMany(BOOKS)),
  );
  expect(found.map((books) => books.map(({ author }) => author?.name))).toEqual([
    ['ann', undefined, undefined],
    [undefined, 'bob', undefined],
    [undefined, undefined, 'eve'],
  ]);
});
