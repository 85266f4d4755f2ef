import { expect, test } from 'vitest';
import { openLibrary } from '../support/stores.ts';

const { graphql, query, idsBy } = await openLibrary();

/** How often the search index was scanned. */
const scans = async () =>
  Number(
    (
      await idsBy(`SELECT idx_scan AS id FROM pg_stat_user_indexes
    WHERE indexrelname = 'books_title_idx'`)
    )[0],
  );

test('a search for a rare word scans the search index', async () => {
  await query(`INSERT INTO books (title, isbn, author_id)
    SELECT md5(n::text), lpad((n + 1000)::text, 13, '0'), 1 FROM generate_series(1, 50000) AS n`);
  await query(`INSERT INTO books (title, isbn, author_id) VALUES ('A quokka', '9999999999999', 1)`);
  await query('ANALYZE books');
  const before = await scans();
  const { json } = await graphql('{ books(search: "QUOKKA") { title } }');
  expect(json).toEqual({ data: { books: [{ title: 'A quokka' }] } });
  await expect.poll(scans).toBeGreaterThan(before);
});
