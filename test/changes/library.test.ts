import { expect, test } from 'vitest';
import { sendTo } from '../support/gateway.ts';
import { idOf, post, serveStore, STORES } from '../support/stores.ts';

/* Changes in a store with relations, nullable and unique columns, and required preconditions. */

const [, library] = STORES;
const store = await serveStore(library);
const { request } = store;

const send = sendTo(store);

let books = 0;

async function newBook() {
  const author = await post(store, '/v1/authors', { name: 'Astrid Lindgren' });
  books += 1;
  const book = await post(store, '/v1/books', {
    title: 'Mio, My Son',
    isbn: String(books).padStart(13, '0'),
    published: '1954-01-01',
    authorId: Number(idOf(author)),
  });
  return { author: `/v1/authors/${String(idOf(author))}`, book: `/v1/books/${String(idOf(book))}` };
}

test('a PATCH with null sets a column to null and leaves omitted columns unchanged', async () => {
  const { book } = await newBook();
  expect((await send('PATCH', book, { title: 'Mio' })).json).toMatchObject({
    title: 'Mio',
    published: '1954-01-01',
  });
  expect((await send('PATCH', book, { published: null })).json).toMatchObject({
    title: 'Mio',
    published: null,
  });
});

test('a row cannot be removed while other rows refer to it', async () => {
  const { author, book } = await newBook();
  const tag = async () => ({ 'If-Match': (await request(author)).headers.get('ETag') ?? '' });
  expect(await send('DELETE', author, undefined, await tag())).toMatchObject({
    status: 409,
    json: { code: 'CONFLICT', message: 'Other records still refer to this one' },
  });
  expect((await send('DELETE', book)).status).toBe(204);
  expect((await send('DELETE', author, undefined, await tag())).status).toBe(204);
});

test('a change without the required If-Match returns 428', async () => {
  const { author } = await newBook();
  for (const method of ['PATCH', 'DELETE']) {
    expect(await send(method, author, { name: 'Tove Jansson' })).toMatchObject({
      status: 428,
      json: { code: 'PRECONDITION_REQUIRED' },
    });
  }
  const tag = { 'If-Match': (await request(author)).headers.get('ETag') ?? '' };
  expect((await send('PATCH', author, { name: 'Tove Jansson' }, tag)).status).toBe(200);
  expect((await send('PATCH', author, { name: 'Selma Lagerlöf' }, tag)).status).toBe(412);
});

const tagOf = async (path: string) => (await request(path)).headers.get('ETag') ?? '';

test('a change to an embedded row changes the ETag, but a change with the old ETag still succeeds', async () => {
  const { author, book } = await newBook();
  const tag = await tagOf(book);
  await send('PATCH', author, { name: 'A. L.' }, { 'If-Match': await tagOf(author) });
  expect(await tagOf(book)).not.toBe(tag);
  expect((await send('PATCH', book, { title: 'Mio' }, { 'If-Match': tag })).status).toBe(200);
});

test('an action supports If-Match and If-None-Match', async () => {
  const { book } = await newBook();
  const bookId = Number(book.slice(book.lastIndexOf('/') + 1));
  const loan = { borrower: 'Ada', due: '2026-12-24T12:00:00Z', bookId };
  const path = `/v1/loans/${String(idOf(await post(store, '/v1/loans', loan)))}`;
  const tag = (await request(path)).headers.get('ETag') ?? '';
  const back = (headers: Record<string, string>, at = path) =>
    send('POST', `${at}/return`, undefined, headers);
  expect((await back({ 'If-None-Match': '*' })).status).toBe(412);
  expect((await back({ 'If-None-Match': '*' }, '/v1/loans/0')).status).toBe(404);
  expect((await back({ 'If-Match': '"other"' })).status).toBe(412);
  expect((await back({ 'If-Match': tag })).status).toBe(200);
  expect((await back({ 'If-Match': tag })).status).toBe(412);
});
