import { expect, test } from 'vitest';
import { openLibrary, runStore } from '../support/stores.ts';

const { request } = await openLibrary(runStore);

const create = (isbn: string) =>
  request('/v1/books', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ title: 'New', authorId: 1, isbn }),
  });

test('100 concurrent creates with the same unique value create one row', async () => {
  const created = await Promise.all(Array.from({ length: 100 }, () => create('2000000000000')));
  expect(created.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(created.filter(({ status }) => status === 409)).toHaveLength(99);
});
