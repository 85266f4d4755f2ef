import { expect, test } from 'vitest';
import { gateway } from '../../examples/library/src/gateway.ts';
import { distributeCommand } from '../../packages/gateway/src/commands/database.ts';
import { runInProcess } from '../support/command.ts';
import { connectClient } from '../support/connect-client.ts';
import { sendTo, type Answer } from '../support/gateway.ts';
import { objectsIn } from '../support/json-members.ts';
import { idOf, post, runStore, STORES } from '../support/stores.ts';
import { createUndistributed, startUndistributed } from './support/own-cluster.ts';

/* A store with relations, distributed as its foreign keys allow: loans in shards, books and authors on every node. */

const [, library] = STORES;
const cluster = await startUndistributed();
const databaseUrl = await createUndistributed(cluster);
const store = await runStore(library, databaseUrl);
const { request } = store;

const send = sendTo(store);

const tagOf = async (path: string) => (await request(path)).headers.get('ETag') ?? '';
const rowsIn = ({ json }: Answer) => objectsIn(json);
const dueIn = (days: number) => new Date(Date.UTC(2030, 0, 1 + days)).toISOString();
const newId = async (path: string, body: object) => Number(idOf(await post(store, path, body)));

let books = 0;
const newBook = (authorId: number, title = 'Mio, My Son') => {
  books += 1;
  return newId('/v1/books', { title, isbn: String(books).padStart(13, '0'), authorId });
};
const newAuthor = () => newId('/v1/authors', { name: 'Astrid Lindgren' });
const newLoan = (bookId: number, days: number, key?: string) => {
  const body = { borrower: `reader ${days}`, due: dueIn(days), bookId };
  return post(store, '/v1/loans', body, key === undefined ? {} : { 'Idempotency-Key': key });
};

const author = await newAuthor();
const book = await newBook(author);
const before = await newLoan(book, 0, 'before');
const distributed = await runInProcess(
  distributeCommand(gateway),
  ['Loan', '--reference', 'Book', '--reference', 'Author'],
  { env: { DATABASE_URL: databaseUrl } },
);

test('distribute shards loans and copies books and authors to every node while the store serves', async () => {
  expect(distributed).toEqual({
    code: 0,
    stdout: 'distributing Author\ndistributing Book\ndistributing Loan\ndone\n',
    stderr: '',
  });
  const client = await connectClient(databaseUrl);
  const { rows } = await client.query(
    'SELECT table_name::text AS name, citus_table_type AS type FROM citus_tables ORDER BY 1',
  );
  expect(rows).toEqual([
    { name: 'authors', type: 'reference' },
    { name: 'books', type: 'reference' },
    { name: 'loans', type: 'distributed' },
  ]);
});

test('loans from concurrent creates, with and without idempotency keys, are paged in each order', async () => {
  const own = await newBook(author);
  const loans = await Promise.all(
    Array.from({ length: 20 }, (_loan, day) =>
      newLoan(own, day, day % 2 === 0 ? `loan-${day}` : undefined),
    ),
  );
  expect(loans.filter(({ status }) => status !== 201).map(({ text }) => text)).toEqual([]);
  expect((await newLoan(own, 4, 'loan-4')).text).toBe(loans[4]?.text);
  expect((await newLoan(book, 0, 'before')).text).toBe(before.text);

  const ids = loans.map(idOf).map(Number);
  const inOrder = ids.toSorted((one, other) => one - other);
  const path = `/v1/books/${own}/loans?limit=7`;
  const [first, second] = [await request(path), await request(`${path}&after=${inOrder[6]}`)];
  expect([first, second].flatMap(rowsIn).map(({ id }) => Number(id))).toEqual(inOrder.slice(0, 14));
  const range = `/v1/loans?sort=due&dueFrom=${dueIn(5)}&dueBefore=${dueIn(9)}`;
  expect(rowsIn(await request(range)).map(({ borrower }) => borrower)).toEqual(
    [5, 6, 7, 8].map((day) => `reader ${day}`),
  );
});

test('nested lists, searches, prefixes and totals work in a distributed store', async () => {
  const own = await newAuthor();
  const title = "Ronia, the Robber's Daughter";
  const [one, other] = [await newBook(own, title), await newBook(own, 'Pippi')];
  for (const day of [1, 2]) {
    await newLoan(one, day);
    await newLoan(other, day);
  }
  const loans = [{ borrower: 'reader 1' }, { borrower: 'reader 2' }];
  const query = `{ booksConnection(authorId: [${own}]) { totalCount nodes {
    title author { name books(limit: 1) { title } } loans(limit: 2) { borrower }
  } } }`;
  const nodes = [title, 'Pippi'].map((each) => ({
    title: each,
    author: { name: 'Astrid Lindgren', books: [{ title }] },
    loans,
  }));
  expect((await post(store, '/graphql', { query })).json).toEqual({
    data: { booksConnection: { totalCount: 2, nodes } },
  });
  for (const filter of ['search=robber', 'titlePrefix=Ronia', `authorId=${own}&limit=1`]) {
    expect((await request(`/v1/books?${filter}`)).json).toMatchObject([{ id: one, title }]);
  }
});

test('changes, actions and removals in a distributed store respect versions and foreign keys', async () => {
  const own = await newAuthor();
  const ownBook = await newBook(own);
  const loan = `/v1/loans/${String(idOf(await newLoan(ownBook, 1)))}`;
  const path = { author: `/v1/authors/${own}`, book: `/v1/books/${ownBook}` };
  const [authorTag, bookTag] = [await tagOf(path.author), await tagOf(path.book)];
  const name = { name: 'A. L.' };
  expect((await send('PATCH', path.author, name, { 'If-Match': authorTag })).status).toBe(200);
  expect((await send('PATCH', path.author, name, { 'If-Match': authorTag })).status).toBe(412);
  expect(await send('PATCH', path.book, { title: 'Mio' }, { 'If-Match': bookTag })).toMatchObject({
    status: 200,
    json: { title: 'Mio', author: { name: 'A. L.' } },
  });
  const taken = { title: 'Mio', isbn: '0000000000001', authorId: own };
  expect((await post(store, '/v1/books', taken)).status).toBe(409);
  expect((await newLoan(9e9, 1)).json).toMatchObject({
    message: 'bookId refers to something that does not exist',
  });
  expect((await send('DELETE', path.book)).status).toBe(409);

  const returned = await send('POST', `${loan}/return`, undefined, { 'Idempotency-Key': 'back' });
  expect([returned.status, (await request(loan)).text]).toEqual([200, returned.text]);
  const again = await send('POST', `${loan}/return`, undefined, { 'Idempotency-Key': 'back' });
  expect(again.text).toBe(returned.text);
  expect((await send('DELETE', loan)).status).toBe(204);
  expect((await send('DELETE', path.book)).status).toBe(204);
  expect((await request(loan)).status).toBe(404);
  const client = await connectClient(databaseUrl);
  const { rows } = await client.query(
    "SELECT FROM _gateway_audit_log WHERE model = 'Loan' AND row_id = $1",
    [loan.slice('/v1/loans/'.length)],
  );
  expect(rows).toHaveLength(3);
});
