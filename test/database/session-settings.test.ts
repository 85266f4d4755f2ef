import { expect, test } from 'vitest';
import { connectClient } from '../support/connect-client.ts';
import { onFileFinished } from '../support/clean-up.ts';
import { emptyDatabase } from '../support/new-database.ts';
import { memberAt } from '../support/json-members.ts';
import { idsOf, serveStore, STORES } from '../support/stores.ts';

/* The database's own settings change the meaning and format of values, and end idle sessions. */

const ODD_SETTINGS = {
  TimeZone: 'Asia/Kolkata',
  DateStyle: 'German, DMY',
  IntervalStyle: 'sql_standard',
  extra_float_digits: '-15',
  bytea_output: 'escape',
  standard_conforming_strings: 'off',
  transform_null_equals: 'on',
  array_nulls: 'off',
  idle_session_timeout: '10ms',
};

const databaseUrl = await emptyDatabase();
const client = await connectClient(databaseUrl, onFileFinished);
const { pathname } = new URL(databaseUrl);
for (const [name, value] of Object.entries(ODD_SETTINGS)) {
  await client.query(`ALTER DATABASE "${pathname.slice(1)}" SET ${name} = '${value}'`);
}
const [, library] = STORES;
const { request } = await serveStore(library, databaseUrl);

async function add(path: string, body: object) {
  return request(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const DUE = '2026-06-01T00:00:00.000Z';

test('loans are stored as sent, even in a batch with a loan that the database rejects', async () => {
  const authorId = memberAt((await add('/v1/authors', { name: 'Ann' })).json, 'id');
  const book = { title: 'Emil', isbn: '9780141374611', authorId };
  const bookId = memberAt((await add('/v1/books', book)).json, 'id');
  const bodies = Array.from({ length: 4 }, (_none, number) => ({
    borrower: `B${number}`,
    due: DUE,
    bookId: number === 1 ? 99_999_999 : bookId,
  }));
  const answers = await Promise.all(bodies.map((body) => add('/v1/loans', body)));
  expect(answers.map(({ status }) => status)).toEqual(
    bodies.map((_body, number) => (number === 1 ? 400 : 201)),
  );
  const { rows } = await client.query<{ count: string }>(
    'SELECT count(*) FROM loans WHERE due = $1::timestamptz',
    [DUE],
  );
  expect(rows).toEqual([{ count: '3' }]);
  for (const { json } of answers.filter(({ status }) => status === 201)) {
    expect(memberAt(json, 'due')).toBe(DUE);
    const read = await request(`/v1/loans/${String(memberAt(json, 'id'))}`);
    expect(read.json).toEqual(json);
  }
});

test.each([
  ['/v1/loans?sort=-due', 3],
  ['/v1/loans?dueFrom=2026-05-31T23:59:59Z&dueBefore=2026-06-01T00:00:01Z', 3],
  ['/v1/loans?dueFrom=2026-06-01T00:00:01Z', 0],
  ['/v1/books?search=mil', 1],
])('%s returns the same rows as with default settings', async (path, count) => {
  const answer = await request(path);
  expect([answer.status, idsOf(answer).length]).toEqual([200, count]);
});
