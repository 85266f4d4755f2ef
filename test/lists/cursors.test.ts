import { expect, test } from 'vitest';
import { messageOf, openLibrary } from '../support/listed-library.ts';

/* Cursors of other orders than that of ids. */

const { request, graphql, page, idsBy } = await openLibrary();

test('a cursor goes on where its row was, and no row that stands still is skipped or doubled', async () => {
  const added = await idsBy(`INSERT INTO loans (borrower, due, book_id)
    SELECT 'C', timestamptz '2030-01-01Z' + n * interval '1 day', 1 FROM generate_series(1, 20) AS n
    RETURNING id`);
  const args = 'dueFrom: "2030-01-01T00:00:00Z"';
  const first = await page('loans', `${args}, first: 5`);
  expect(first.ids).toEqual(added.slice(0, 5));
  // The row of the cursor goes, one behind it comes before, one before it goes behind, and one is added on either side.
  await idsBy(`DELETE FROM loans WHERE id = ${added[4]}`);
  await idsBy(`UPDATE loans SET due = '2030-01-02 12:00Z' WHERE id = ${added[10]}`);
  await idsBy(`UPDATE loans SET due = '2031-01-02 12:00Z' WHERE id = ${added[1]}`);
  await idsBy(`INSERT INTO loans (borrower, due, book_id)
    VALUES ('C', '2030-01-03 12:00Z', 1), ('C', '2030-01-10 12:00Z', 1)`);
  const still = added.filter((id) => ![added[1], added[4], added[10]].includes(id));
  const ids = first.ids.filter((id) => still.includes(id));
  let after: unknown = first.cursors.at(-1);
  for (let isMore = true; isMore;) {
    const next = await page('loans', `${args}, first: 5, after: "${String(after)}"`);
    ids.push(...next.ids.filter((id) => still.includes(id)));
    after = next.pageInfo['endCursor'];
    isMore = next.pageInfo['hasNextPage'] === true;
  }
  expect(ids).toEqual(still);
  const before = await page('loans', `${args}, last: 9, before: "${first.cursors[4]}"`);
  expect(before.ids.filter((id) => still.includes(id))).toEqual([added[0], added[2], added[3]]);
  await idsBy(`DELETE FROM loans WHERE borrower = 'C'`);
});

/** A cursor that the service didn't write. */
function cursorOf(...parts: unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

test.each([
  'x',
  '42',
  cursorOf(),
  cursorOf('due'),
  cursorOf('due', 'soon', '1'),
  cursorOf('due', '2026-01-01T00:00:00.000Z', '1.5'),
  cursorOf('due', '2026-01-01', '1'),
  cursorOf('due', 5, '1'),
  cursorOf('due', '2026-01-01T00:00:00.000Z', '99999999999999999999'),
  cursorOf('due', '2026-01-01T00:00:00.000Z', '1', '2'),
  cursorOf('-due', '2026-01-01T00:00:00.000Z', '1'),
  cursorOf('title', '2026-01-01T00:00:00.000Z', '1'),
])('what is no cursor of the order is refused by the name of its argument: %s', async (cursor) => {
  const MESSAGE = 'must be a cursor from a list in the same order';
  for (const argument of ['after', 'before']) {
    const args = `orderBy: [DUE_ASC], ${argument}: "${cursor}"`;
    const answer = await graphql(`{ loansConnection(${args}) { nodes { id } } }`);
    expect(messageOf(answer)).toBe(`${argument} ${MESSAGE}`);
    expect(answer.text).toContain('BAD_USER_INPUT');
  }
  expect(await request(`/v1/loans?sort=due&after=${cursor}`)).toMatchObject({
    status: 400,
    json: { code: 'BAD_USER_INPUT', message: `after ${MESSAGE}` },
  });
});

test('the cursor of another order is refused where the order is that of ids', async () => {
  const { cursors } = await page('loans', 'orderBy: [DUE_ASC], first: 1');
  expect(await request(`/v1/loans?after=${cursors[0]}`)).toMatchObject({
    status: 400,
    json: {
      message: 'after must be an integer between -9223372036854775808 and 9223372036854775807',
    },
  });
});

test.each([
  'first: 3',
  'first: 0',
  'orderBy: [DUE_ASC], first: 3',
  'orderBy: [DUE_DESC], last: 2',
  'orderBy: [DUE_ASC], first: 100',
  'first: 2, after: "9223372036854775807"',
  'last: 2, before: "5"',
])('a document that comes again has the cursors that edges have: %s', async (args) => {
  const { ids, pageInfo } = await page('loans', args);
  const query = `{ loansConnection(${args}) { nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
  for (let round = 0; round < 4; round += 1) {
    const { json } = await graphql(query);
    expect(json).toEqual({
      data: { loansConnection: { nodes: ids.map((id) => ({ id })), pageInfo } },
    });
  }
});

test.each(['/v1/loans?limit=2', '/v1/loans?limit=2&sort=-due', '/v1/loans?limit=2&after=100'])(
  'a page of REST that comes again has the same links and tags: %s',
  async (path) => {
    const first = await request(path);
    for (let round = 0; round < 4; round += 1) {
      const { status, headers, text } = await request(path);
      const told = ['ETag', 'Link', 'Content-Type'].map((name) => headers.get(name));
      expect({ status, text, told }).toEqual({
        status: 200,
        text: first.text,
        told: ['ETag', 'Link', 'Content-Type'].map((name) => first.headers.get(name)),
      });
      const again = await request(path, {
        headers: { 'If-None-Match': headers.get('ETag') ?? '' },
      });
      expect([again.status, again.text]).toEqual([304, '']);
    }
  },
);
