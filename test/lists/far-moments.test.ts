import { expect, test } from 'vitest';
import { objectsIn } from '../support/json-members.ts';
import { linkOf } from '../support/links.ts';
import { idsOf, openLibrary } from '../support/listed-library.ts';

/* Days and times that RFC 3339 has no text for, whatever reads their rows. */

const { request, graphql, page, idsBy, query } = await openLibrary();

const send = (method: string, path: string, body: object, headers: Record<string, string> = {}) =>
  request(path, {
    method,
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', ...headers },
  });

const FAR: [stored: string, day: string][] = [
  ['infinity', '9999-12-31'],
  ['10000-01-02', '9999-12-31'],
  ['-infinity', '0001-01-01'],
  ['0044-03-15 BC', '0001-01-01'],
];

test.each(FAR)('a book published %s is found by a search as by its id', async (stored, day) => {
  const [id = ''] = await idsBy(
    `UPDATE books SET published = '${stored}' WHERE title = 'Emil 100% sure' RETURNING id`,
  );
  const { json: book } = await request(`/v1/books/${id}`);
  expect(book).toMatchObject({ published: day });
  const rest = await request('/v1/books?search=100%25');
  expect(rest.status).toBe(200);
  expect(objectsIn(rest.json)).toContainEqual(book);
  const fields = '{ id published }';
  const found = await graphql(`{
    books(search: "100%", limit: 1) ${fields}
    booksConnection(search: "100%", first: 1) { nodes ${fields} }
    authors(limit: 10) { books(limit: 50) ${fields} }
  }`);
  expect(found.json).not.toHaveProperty('errors');
  expect(found.text.match(/"published":"[^"]*"/g)).toContain(`"published":"${day}"`);
  expect(found.json).toMatchObject({ data: { books: [{ id, published: day }] } });
});

test.each(FAR)('a book published %s is changed and removed as expected', async (stored, day) => {
  const [id = ''] = await idsBy(
    `INSERT INTO books (title, isbn, author_id, published)
    VALUES ('Far', '${stored}', 1, '${stored}') RETURNING id`,
  );
  const path = `/v1/books/${id}`;
  const etag = async () => (await request(path)).headers.get('ETag') ?? '';
  const patched = await send('PATCH', path, { title: 'Away' }, { 'If-Match': await etag() });
  expect([patched.status, patched.json]).toMatchObject([200, { title: 'Away', published: day }]);
  expect(await idsBy(`SELECT id FROM books WHERE id = ${id} AND published = '${stored}'`)).toEqual([
    id,
  ]);
  const removed = await graphql(`mutation { deleteBook(id: ${id}) { title published } }`);
  expect(removed.json).toEqual({ data: { deleteBook: { title: 'Away', published: day } } });
});

test('pages in the order of a column have each row once, on both surfaces', async () => {
  const stored = [...FAR, ...FAR].map(([moment]) => moment);
  for (const [place, moment] of stored.entries()) {
    await query(`UPDATE loans SET due = '${moment}' WHERE id = ${1 + place * 3}`);
  }
  for (const [order, sort, sql] of [
    ['DUE_ASC', 'due', 'due, id'],
    ['DUE_DESC', '-due', 'due DESC, id DESC'],
  ] as const) {
    const expected = await idsBy(`SELECT id FROM loans ORDER BY ${sql}`);
    const all = await page('loans', `orderBy: [${order}], first: 100`);
    expect(all.ids).toEqual(expected);
    const ids: string[] = [];
    let path: string | undefined = `/v1/loans?limit=3&sort=${sort}`;
    while (path !== undefined && ids.length <= expected.length) {
      const answer = await request(path);
      ids.push(...idsOf(answer));
      path = linkOf(answer, 'next', path);
    }
    expect(ids).toEqual(expected);
    for (const [place, cursor] of all.cursors.entries()) {
      const before = await page('loans', `orderBy: [${order}], last: 2, before: "${cursor}"`);
      expect(before.ids).toEqual(expected.slice(Math.max(0, place - 2), place));
    }
  }
});
