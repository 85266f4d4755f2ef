import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { onFileFinished } from '../support/clean-up.ts';
import { idOf, post } from '../support/filled-stores.ts';
import type { Answer } from '../support/gateway.ts';
import { memberAt } from '../support/json-members.ts';
import { object } from '../support/openapi.ts';
import { serveStore, STORES } from '../support/stores.ts';

/* Repetitions of REST's writes whose responses have embedded resources. */

const [, library] = STORES;
if (library === undefined) {
  throw new Error('there is no second store');
}
const store = await serveStore(library);
const { request } = store;
const client = new Client(store.env['DATABASE_URL']);
await client.connect();
onFileFinished(() => client.end());

const DUE = '2026-12-24T12:00:00Z';
const NOW = 'true; embedded=current';

async function newBook(): Promise<{ readonly path: string; readonly bookId: number }> {
  const author = await post(store, '/v1/authors', { name: 'Astrid Lindgren' });
  const isbn = String(Math.floor(Math.random() * 10 ** 13)).padStart(13, '0');
  const body = { title: 'Mio, My Son', isbn, authorId: Number(idOf(author)) };
  const bookId = Number(idOf(await post(store, '/v1/books', body)));
  return { path: `/v1/books/${bookId}`, bookId };
}

function patch(path: string, body: object, key: string = randomUUID()): Promise<Answer> {
  return request(path, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify(body),
  });
}

const lend = (bookId: number, key: string) =>
  post(store, '/v1/loans', { borrower: 'Ada', due: DUE, bookId }, { 'Idempotency-Key': key });

const lendByGraphQL = (bookId: number, key: string) =>
  post(
    store,
    '/graphql',
    {
      query: `mutation { createLoan(input: { borrower: "Ada", due: "${DUE}", bookId: ${bookId} }) { id } }`,
    },
    { 'Idempotency-Key': key },
  );

const headersOf = ({ headers }: Answer) =>
  ['ETag', 'Location', 'Idempotent-Replayed'].map((name) => headers.get(name));

test('a repeated create has the response of the first, though what it embeds has changed or is gone', async () => {
  const { path, bookId } = await newBook();
  const key = randomUUID();
  const first = await lend(bookId, key);
  const [etag, location] = headersOf(first);
  const expected = [201, first.text, etag, location, 'true'];
  await patch(path, { title: 'Mio' });
  const again = await lend(bookId, key);
  expect([again.status, again.text, ...headersOf(again)]).toEqual(expected);
  await request(`/v1/loans/${String(idOf(first))}`, { method: 'DELETE' });
  await request(path, { method: 'DELETE' });
  const later = await lend(bookId, key);
  expect([later.status, later.text, ...headersOf(later)]).toEqual(expected);
});

test('a repeated change has the response of the first, though what it embeds has changed', async () => {
  const { path } = await newBook();
  const key = randomUUID();
  const first = await patch(path, { title: 'Mio' }, key);
  const author = /"author":\{"id":(\d+)/.exec(first.text)?.[1];
  await patch(`/v1/authors/${author}`, { name: 'Astrid Ericsson' });
  const again = await patch(path, { title: 'Mio' }, key);
  expect([again.text, ...headersOf(again)]).toEqual([
    first.text,
    first.headers.get('ETag'),
    null,
    'true',
  ]);
});

test('what was first done by GraphQL is repeated with embedded resources of now, and says so', async () => {
  const { path, bookId } = await newBook();
  const key = randomUUID();
  await lendByGraphQL(bookId, key);
  await patch(path, { title: 'Mio' });
  const again = await lend(bookId, key);
  expect(again.text).toContain('"title":"Mio"');
  expect(headersOf(again).at(-1)).toBe(NOW);
});

test('a response that was kept for an earlier write of the same key is not taken for a later one', async () => {
  const { bookId } = await newBook();
  const key = randomUUID();
  const first = await lend(bookId, key);
  await client.query(
    `UPDATE _gateway_idempotency_keys SET created_at = now() - interval '24:01' WHERE name = $1`,
    [key],
  );
  await lendByGraphQL(bookId, key);
  const again = await lend(bookId, key);
  expect(idOf(again)).not.toBe(idOf(first));
  expect(headersOf(again).at(-1)).toBe(NOW);
});

test('the contract says where Idempotent-Replayed may tell of embedded resources', async () => {
  const { json } = await request('/v1/openapi.json');
  const headers = Object.entries(object(memberAt(json, 'components', 'headers')));
  const telling = headers.filter(([, header]) => JSON.stringify(header).includes(NOW));
  expect(telling.map(([name]) => name).toSorted()).toEqual([
    'createBook-Idempotent-Replayed',
    'createLoan-Idempotent-Replayed',
    'replaceBook-Idempotent-Replayed',
    'returnLoan-Idempotent-Replayed',
    'updateBook-Idempotent-Replayed',
  ]);
});
