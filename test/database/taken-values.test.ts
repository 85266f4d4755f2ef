import { expect, test } from 'vitest';
import { openLibrary } from '../support/listed-library.ts';
import { runStore } from '../support/stores.ts';

const { request, query } = await openLibrary(runStore);

const create = (isbn: string) =>
  request('/v1/books', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ title: 'New', authorId: 1, isbn }),
  });

/** The first of the library's books has it. */
const TAKEN = '0000000000001';

test('100 concurrent creates: those of a taken value return 409, and all others succeed', async () => {
  const isbns = Array.from({ length: 100 }, (_, number) =>
    number % 2 === 0 ? TAKEN : `1${String(number).padStart(12, '0')}`,
  );
  const created = await Promise.all(isbns.map(create));
  expect(created.map(({ status }) => status)).toEqual(
    isbns.map((isbn) => (isbn === TAKEN ? 409 : 201)),
  );
  const { rows } = await query(`SELECT isbn FROM books WHERE isbn LIKE '1%' ORDER BY isbn`);
  expect(rows).toHaveLength(50);
});

test('100 concurrent creates of the same new value create one row', async () => {
  const created = await Promise.all(Array.from({ length: 100 }, () => create('2000000000000')));
  expect(created.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(created.filter(({ status }) => status === 409)).toHaveLength(99);
});
