import { expect, test } from 'vitest';
import { idOf, post, sendTo } from '../support/filled-stores.ts';
import { memberAt } from '../support/json-members.ts';
import { serveStore, STORES } from '../support/stores.ts';

/* Changes in a store with relations, nullable and unique columns, and preconditions that must be given. */

const [, library] = STORES;
if (library === undefined) {
  throw new Error('there is no second store');
}
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

test('null empties a nullable column, and what is not sent stays', async () => {
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

test('a taken value and a reference to nothing are refused by name', async () => {
  const [one, other] = [await newBook(), await newBook()];
  const isbn = /"isbn":"(\d+)"/.exec((await request(one.book)).text)?.[1];
  expect(await send('PATCH', other.book, { isbn })).toMatchObject({
    status: 409,
    json: { code: 'CONFLICT', message: 'isbn is already taken' },
  });
  expect(await send('PATCH', other.book, { authorId: 9e9 })).toMatchObject({
    status: 400,
    json: { message: 'authorId refers to something that does not exist' },
  });
});

test('what others refer to is not removed before they are', async () => {
  const { author, book } = await newBook();
  const tag = async () => ({ 'If-Match': (await request(author)).headers.get('ETag') ?? '' });
  expect(await send('DELETE', author, undefined, await tag())).toMatchObject({
    status: 409,
    json: { code: 'CONFLICT', message: 'Other records still refer to this one' },
  });
  expect((await send('DELETE', book)).status).toBe(204);
  expect((await send('DELETE', author, undefined, await tag())).status).toBe(204);
});

test('a precondition that is required has to be sent', async () => {
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

test('a change of what a representation embeds changes its tag, but not the row of a precondition', async () => {
  const { author, book } = await newBook();
  const tagOf = async (path: string) => (await request(path)).headers.get('ETag') ?? '';
  const tag = await tagOf(book);
  await send('PATCH', author, { name: 'A. L.' }, { 'If-Match': await tagOf(author) });
  expect(await tagOf(book)).not.toBe(tag);
  const read = await request(book, { headers: { 'If-None-Match': tag } });
  expect([read.status, read.text]).toEqual([200, expect.stringContaining('A. L.')]);
  expect((await send('PATCH', book, { title: 'Mio' }, { 'If-Match': tag })).status).toBe(200);
});

test('an action has the preconditions of other changes', async () => {
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

test('an action changes a row, once under a key', async () => {
  const { book } = await newBook();
  const loan = await post(store, '/v1/loans', {
    borrower: 'Ada',
    due: '2026-12-24T12:00:00Z',
    bookId: Number(book.slice(book.lastIndexOf('/') + 1)),
  });
  expect(loan.json).toMatchObject({ returned: null });
  const path = `/v1/loans/${String(idOf(loan))}`;
  const headers = { 'Idempotency-Key': 'return' };
  const returned = await send('POST', `${path}/return`, undefined, headers);
  expect([returned.status, (await request(path)).text]).toEqual([200, returned.text]);
  expect(returned.text).not.toContain('"returned":null');
  const again = await send('POST', `${path}/return`, undefined, headers);
  expect([again.text, again.headers.get('Idempotent-Replayed')]).toEqual([returned.text, 'true']);
});

test('a repeated write whose relation was removed since is gone, as the contract says', async () => {
  const { book } = await newBook();
  const bookId = Number(book.slice(book.lastIndexOf('/') + 1));
  const loan = { borrower: 'Ada', due: '2026-12-24T12:00:00Z', bookId };
  const headers = { 'Idempotency-Key': 'gone' };
  // By GraphQL: REST keeps its response.
  const query = `mutation { createLoan(input: { borrower: "Ada", due: "${loan.due}", bookId: ${bookId} }) { id } }`;
  await send('POST', '/graphql', { query }, headers);
  const lent = await post(store, '/v1/loans', loan, headers);
  expect((await send('DELETE', `/v1/loans/${String(idOf(lent))}`)).status).toBe(204);
  expect((await post(store, '/v1/loans', loan, headers)).text).toBe(lent.text);
  expect((await send('DELETE', book)).status).toBe(204);
  const message =
    'The original request succeeded, but something that it refers to has been removed since';
  expect(await post(store, '/v1/loans', loan, headers)).toMatchObject({
    status: 410,
    json: { code: 'GONE', message },
  });
  const { json } = await request('/v1/openapi.json');
  expect(memberAt(json, 'paths', '/loans', 'post', 'responses', '410')).toEqual({
    $ref: '#/components/responses/createLoan-Gone',
  });
  const gone = memberAt(json, 'components', 'responses', 'createLoan-Gone');
  expect(JSON.stringify(gone)).toContain(message);
});

test('a repeated change is answered with the row and the relation of then', async () => {
  const { book } = await newBook();
  const other = await newBook();
  const authorId = Number(other.author.slice(other.author.lastIndexOf('/') + 1));
  const headers = { 'Idempotency-Key': 'of-then' };
  const rename = () => send('PATCH', book, { title: 'Mio' }, headers);
  const first = await rename();
  expect(first.status).toBe(200);
  await send('PATCH', book, { authorId });
  expect((await rename()).text).toBe(first.text);
  expect((await send('DELETE', book)).status).toBe(204);
  expect((await rename()).text).toBe(first.text);
});

test('a row that is removed under a key is shown with what it refers to', async () => {
  const { book } = await newBook();
  const bookId = Number(book.slice(book.lastIndexOf('/') + 1));
  const loan = { borrower: 'Ada', due: '2026-12-24T12:00:00Z', bookId };
  const id = String(idOf(await post(store, '/v1/loans', loan)));
  const query = `mutation { deleteLoan(id: ${id}, idempotencyKey: "removed") { id book { title } } }`;
  const removed = { data: { deleteLoan: { id, book: { title: 'Mio, My Son' } } } };
  for (const answer of [
    await send('POST', '/graphql', { query }),
    await send('POST', '/graphql', { query }),
  ]) {
    expect(answer.json).toEqual(removed);
  }
});
