import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { onFileFinished } from '../support/clean-up.ts';
import { connectClient } from '../support/connect-client.ts';
import { sendTo, type Answer } from '../support/gateway.ts';
import { idOf, post, serveStore, STORES } from '../support/stores.ts';
import { memberAt } from '../support/json-members.ts';
import { object } from '../support/openapi.ts';

/* Retries of REST writes whose responses have embedded resources. */

const [, library] = STORES;
const store = await serveStore(library);
const { request } = store;
const client = await connectClient(store.env['DATABASE_URL'], onFileFinished);

const DUE = '2026-12-24T12:00:00Z';
const NOW = 'true; embedded=current';

async function newBook() {
  const author = await post(store, '/v1/authors', { name: 'Astrid Lindgren' });
  const isbn = String(Math.floor(Math.random() * 10 ** 13)).padStart(13, '0');
  const authorId = Number(idOf(author));
  const body = { title: 'Mio, My Son', isbn, authorId };
  const bookId = Number(idOf(await post(store, '/v1/books', body)));
  return { path: `/v1/books/${bookId}`, bookId, authorId };
}

const send = (method: string, path: string, body?: object, key: string = randomUUID()) =>
  sendTo(store)(method, path, body, { 'Idempotency-Key': key });

const lend = (bookId: number, key?: string) =>
  send('POST', '/v1/loans', { borrower: 'Ada', due: DUE, bookId }, key);

const mutate = (query: string, key: string) =>
  send('POST', '/graphql', { query: `mutation { ${query} }` }, key);

const lendByGraphQL = (bookId: number, key: string) =>
  mutate(`createLoan(input: { borrower: "Ada", due: "${DUE}", bookId: ${bookId} }) { id }`, key);

const headersOf = ({ headers }: Answer) =>
  ['ETag', 'Location', 'Idempotent-Replayed'].map((name) => headers.get(name));

test('a repeated create returns the first response, even if embedded rows have been changed or removed', async () => {
  const { path, bookId } = await newBook();
  const key = randomUUID();
  const first = await lend(bookId, key);
  const [etag, location] = headersOf(first);
  const expected = [201, first.text, etag, location, 'true'];
  await send('PATCH', path, { title: 'Mio' });
  const again = await lend(bookId, key);
  expect([again.status, again.text, ...headersOf(again)]).toEqual(expected);
  await send('DELETE', `/v1/loans/${String(idOf(first))}`);
  await send('DELETE', path);
  const later = await lend(bookId, key);
  expect([later.status, later.text, ...headersOf(later)]).toEqual(expected);
});

test('a repeated update returns the first response, even if the row or its embedded row was changed or removed', async () => {
  const [{ path }, other] = [await newBook(), await newBook()];
  const key = randomUUID();
  const first = await send('PATCH', path, { title: 'Mio' }, key);
  const author = /"author":\{"id":(\d+)/.exec(first.text)?.[1];
  const expected = [200, first.text, first.headers.get('ETag'), null, 'true'];
  const rename = `UPDATE authors SET name = 'Astrid Ericsson' WHERE id = ${author}`;
  for (const change of [
    async () => (await client.query(rename)).rowCount === 1,
    async () => (await send('PATCH', path, { authorId: other.authorId })).status === 200,
    async () => (await send('DELETE', path)).status === 204,
  ]) {
    expect(await change()).toBe(true);
    const again = await send('PATCH', path, { title: 'Mio' }, key);
    expect([again.status, again.text, ...headersOf(again)]).toEqual(expected);
  }
});

test('a repeated create without a stored response returns 410 after a row that it refers to was removed', async () => {
  const { path, bookId } = await newBook();
  const key = randomUUID();
  // By GraphQL, because the response to a REST request would be stored.
  await lendByGraphQL(bookId, key);
  const lent = await lend(bookId, key);
  expect((await send('DELETE', `/v1/loans/${String(idOf(lent))}`)).status).toBe(204);
  expect((await lend(bookId, key)).text).toBe(lent.text);
  expect((await send('DELETE', path)).status).toBe(204);
  const message =
    'The original request succeeded, but something that it refers to has been removed since';
  expect(await lend(bookId, key)).toMatchObject({ status: 410, json: { code: 'GONE', message } });
  const { json } = await request('/v1/openapi.json');
  expect(memberAt(json, 'paths', '/loans', 'post', 'responses', '410')).toEqual({
    $ref: '#/components/responses/createLoan-Gone',
  });
  const gone = memberAt(json, 'components', 'responses', 'createLoan-Gone');
  expect(JSON.stringify(gone)).toContain(message);
});

test('a repeated removal returns the row with its relations', async () => {
  const id = String(idOf(await lend((await newBook()).bookId)));
  const key = randomUUID();
  const remove = () => mutate(`deleteLoan(id: ${id}) { id book { title } }`, key);
  const removed = { data: { deleteLoan: { id, book: { title: 'Mio, My Son' } } } };
  expect([(await remove()).json, (await remove()).json]).toEqual([removed, removed]);
});

test('a repeated action returns the first response', async () => {
  const loan = await lend((await newBook()).bookId);
  expect(loan.json).toMatchObject({ returned: null });
  const path = `/v1/loans/${String(idOf(loan))}`;
  const key = randomUUID();
  const returned = await send('POST', `${path}/return`, undefined, key);
  expect([returned.status, (await request(path)).text]).toEqual([200, returned.text]);
  expect(returned.text).not.toContain('"returned":null');
  const again = await send('POST', `${path}/return`, undefined, key);
  expect([again.text, headersOf(again).at(-1)]).toEqual([returned.text, 'true']);
});

test('a REST replay of a GraphQL write has current embedded resources, and a header that says so', async () => {
  const { path, bookId } = await newBook();
  const key = randomUUID();
  await lendByGraphQL(bookId, key);
  await send('PATCH', path, { title: 'Mio' });
  const again = await lend(bookId, key);
  expect(again.text).toContain('"title":"Mio"');
  expect(headersOf(again).at(-1)).toBe(NOW);
});

test('the stored response of an expired key is not returned for a later write', async () => {
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

test('OpenAPI documents where Idempotent-Replayed can be embedded=current', async () => {
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
