import { expect, test } from 'vitest';
import { objectsIn } from '../support/json-members.ts';
import { idsOf, messageOf, openLibrary } from '../support/listed-library.ts';

/* Lists that are restricted, searched and counted. */

const { request, graphql, page, idsBy } = await openLibrary();

test.each([
  ['dueFrom', '2026-01-03T00:00:00.002Z', '>='],
  ['dueBefore', '2026-01-03T00:00:00.002Z', '<'],
])(
  '%s restricts a list, which is then in the order of its column',
  async (argument, value, sql) => {
    const where = `WHERE due ${sql} '${value}'`;
    const ids = await idsBy(`SELECT id FROM loans ${where} ORDER BY due, id`);
    expect(ids.length).toBeGreaterThan(5);
    expect((await page('loans', `${argument}: "${value}", first: 100`)).ids).toEqual(ids);
    const rest = await request(`/v1/loans?limit=100&${argument}=${value}&sort=-due,borrower`);
    expect(idsOf(rest)).toEqual(
      await idsBy(`SELECT id FROM loans ${where} ORDER BY due DESC, borrower, id`),
    );
  },
);

test('pages of a range end where it does, in both directions', async () => {
  const range = 'dueFrom: "2026-01-02T00:00:00Z", dueBefore: "2026-01-04T00:00:00Z"';
  const all = await page('loans', `${range}, first: 100`);
  const { ids } = await page('loans', `${range}, first: 100, after: "${all.cursors[2]}"`);
  expect(ids).toEqual(all.ids.slice(3));
  const last = await page('loans', `${range}, last: 100, before: "${all.cursors[2]}"`);
  expect(last.ids).toEqual(all.ids.slice(0, 2));
});

test.each([
  [
    'books',
    'titlePrefix: "Emil", search: "Emil"',
    'search must not be combined with an order other than by id',
  ],
  [
    'books',
    'orderBy: [TITLE_ASC], search: "Emil"',
    'search must not be combined with an order other than by id',
  ],
])('%s(%s) is refused', async (list, args, message) => {
  expect(messageOf(await graphql(`{ ${list}(${args}) { id } }`))).toBe(message);
});

test.each([
  ['Emil', 15],
  ['Emil 100%', 5],
  ['emil', 5],
  ['a_b', 5],
  ['back\\', 5],
  ['Ä', 5],
  ['%', 0],
])('a prefix is meant literally: %s', async (prefix, count) => {
  const { json } = await request(`/v1/books?limit=100&titlePrefix=${encodeURIComponent(prefix)}`);
  const titles = objectsIn(json).map(({ title }) => String(title));
  expect(titles).toHaveLength(count);
  expect(titles.every((title) => title.startsWith(prefix))).toBe(true);
});

test.each([
  ['EMIL', 20],
  ['100% SURE', 5],
  ['100_sure', 0],
  ['mil 100', 10],
  ['k\\slash', 5],
  ['äpPLe', 5],
])('a search finds texts literally, whatever their capitals: %s', async (search, count) => {
  const { json } = await request(`/v1/books?limit=100&search=${encodeURIComponent(search)}`);
  const ids = objectsIn(json).map(({ id }) => Number(id));
  expect(ids).toHaveLength(count);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
});

test.each(['', 'ab', '%%%', 'a b c', 'x'.repeat(101)])(
  'a search by which no index finds anything is refused: %s',
  async (search) => {
    expect(await request(`/v1/books?search=${encodeURIComponent(search)}`)).toMatchObject({
      status: 400,
      json: {
        message:
          'search must be a string of 3 to 100 characters, with at least three letters or digits in a row',
      },
    });
  },
);

test('a search is paged by ids', async () => {
  const all = await page('books', 'search: "emil", first: 100');
  const rest = await page('books', `search: "emil", first: 100, after: "${all.cursors[3]}"`);
  expect([all.ids.length, rest.ids]).toEqual([20, all.ids.slice(4)]);
});

test('a set is any of its values, with an order or without', async () => {
  const where = 'WHERE author_id IN (1, 3)';
  const rest = await request('/v1/books?limit=100&authorId=1,3,3&sort=-title');
  expect(idsOf(rest)).toEqual(
    await idsBy(`SELECT id FROM books ${where} ORDER BY title DESC, id DESC`),
  );
  const { ids } = await page('books', 'authorId: [1, 3], first: 100');
  expect(ids).toEqual(await idsBy(`SELECT id FROM books ${where} ORDER BY id`));
});

test('a repeated parameter stays in the links', async () => {
  const { headers } = await request('/v1/books?authorId=1&authorId=3&limit=1&sort=title');
  expect(headers.get('Link')).toMatch(
    /^<\?authorId=1&authorId=3&limit=1&sort=title>; rel="first", <\?authorId=1&authorId=3&limit=1&sort=title&after=[\w-]+>; rel="next"$/,
  );
});

test.each([
  ['', 45],
  ['authorId: [1, 2], ', 23],
  ['titlePrefix: "Emil", ', 15],
  ['search: "emil", ', 20],
])('a count is of all rows that a list has: %s', async (args, count) => {
  const { cursors } = await page('books', `${args}first: 2`);
  const { totalCount } = await page(
    'books',
    `${args}first: 1, after: "${cursors[1]}"`,
    'totalCount',
  );
  expect(totalCount).toBe(count);
});

test('REST tells a count in a header, of the filters, whatever the page', async () => {
  const { headers } = await request('/v1/books?authorId=1,2&limit=1');
  expect(headers.get('X-Total-Count')).toBe('23');
});

const COUNTS = ['a', 'b', 'c', 'd', 'e'].map((alias) => `${alias}: booksConnection { totalCount }`);

test('a count costs as much as some pages', async () => {
  const few = await graphql(`{ ${COUNTS.slice(0, 2).join(' ')} }`);
  expect(few.json).toEqual({ data: { a: { totalCount: 45 }, b: { totalCount: 45 } } });
  const answer = await graphql(`{ ${COUNTS.join(' ')} }`);
  expect(messageOf(answer)).toContain('complexity');
});

test('a relation of one row is ordered, too', async () => {
  const { json } = await graphql(
    '{ author(id: 1) { books(orderBy: [TITLE_DESC], limit: 3) { id } } }',
  );
  const ids = await idsBy(
    'SELECT id FROM books WHERE author_id = 1 ORDER BY title DESC, id DESC LIMIT 3',
  );
  expect(json).toMatchObject({ data: { author: { books: ids.map((id) => ({ id })) } } });
});
