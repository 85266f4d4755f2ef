import { expect, test } from 'vitest';
import { sendTo } from '../support/gateway.ts';
import { idOf, post, serveStore, STORES } from '../support/stores.ts';

/* Collections below a parent, and representations with relations, in a store that has both. */

const [, library] = STORES;
const store = await serveStore(library);
const { request, contract } = store;
const send = sendTo(store);

let count = 0;

async function newBook(): Promise<{ author: string; id: string }> {
  const author = await post(store, '/v1/authors', { name: 'Astrid Lindgren' });
  count += 1;
  const book = await post(store, '/v1/books', {
    title: 'Mio, My Son',
    isbn: String(count).padStart(13, '0'),
    authorId: idOf(author),
  });
  return { author: String(idOf(author)), id: String(idOf(book)) };
}

async function lend(book: string, times: number): Promise<string[]> {
  const ids = [];
  for (let time = 0; time < times; time += 1) {
    const body = { borrower: 'Ada', due: '2026-12-24T12:00:00Z', bookId: Number(book) };
    ids.push(String(idOf(await post(store, '/v1/loans', body))));
  }
  return ids;
}

async function rename(author: string, name: string): Promise<void> {
  const path = `/v1/authors/${author}`;
  const tag = (await request(path)).headers.get('ETag') ?? '';
  expect((await send('PATCH', path, { name }, { 'If-Match': tag })).status).toBe(200);
}

const idsIn = (text: string) => [...text.matchAll(/\{"id":(\d+),"borrower"/g)].map(([, id]) => id);

test("a nested collection returns its parent's rows in pages", async () => {
  const [one, other] = [await newBook(), await newBook()];
  const loans = await lend(one.id, 3);
  await lend(other.id, 1);
  const path = `/v1/books/${one.id}/loans?limit=2`;
  const first = await request(path);
  expect([first.status, idsIn(first.text)]).toEqual([200, loans.slice(0, 2)]);
  const link = `<?limit=2>; rel="first", <?limit=2&after=${String(loans[1])}>; rel="next"`;
  expect(first.headers.get('Link')).toBe(link);
  const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' };
  expect((await request(path, { headers })).status).toBe(304);
  const last = await request(`${path}&after=${String(loans[1])}`);
  expect(idsIn(last.text)).toEqual(loans.slice(2));
  expect(last.headers.get('Link')).toBe('<?limit=2>; rel="first"');
  const lastTag = { 'If-None-Match': last.headers.get('ETag') ?? '' };
  expect((await request(path, { headers: lastTag })).status).toBe(200);
});

test('a nested collection may be empty, and returns 404 for an unknown parent', async () => {
  const { id } = await newBook();
  expect(await request(`/v1/books/${id}/loans`)).toMatchObject({ status: 200, text: '[]' });
  for (const parent of ['0', '9223372036854775807', 'x', '99999999999999999999']) {
    expect(await request(`/v1/books/${parent}/loans`)).toMatchObject({
      status: 404,
      json: { code: 'NOT_FOUND', message: 'There is no book with this id', status: 404 },
    });
  }
  expect((await request(`/v1/books/${id}/loans?limit=0`)).status).toBe(400);
});

test('the contract documents a nested collection as an array, with its parent parameter and a 404', () => {
  const nested = contract.operations.find(({ id }) => id === 'listLoansOfBook');
  expect(nested?.path).toBe('/v1/books/{bookId}/loans');
  expect([...(nested?.responses.keys() ?? [])]).toEqual(expect.arrayContaining([200, 400, 404]));
  expect(nested?.responses.get(200)?.schema).toEqual({ $ref: '#/components/schemas/Loans' });
  expect(contract.at('components', 'schemas', 'Loans')).toMatchObject({
    type: 'array',
    items: { $ref: '#/components/schemas/Loan' },
    maxItems: 100,
  });
});

test('an embedded relation has integer ids, and changes to it change the entity tags of rows and lists', async () => {
  const { author, id } = await newBook();
  const [one, list] = [`/v1/books/${id}`, `/v1/books?limit=1&after=${BigInt(id) - 1n}`];
  const embedded = (name: string) => `"author":{"id":${author},"name":"${name}"}`;
  for (const path of [one, list]) {
    const before = await request(path);
    expect(before.text).toContain(embedded('Astrid Lindgren'));
    await rename(author, 'A. L.');
    const tag = before.headers.get('ETag') ?? '';
    const after = await request(path, { headers: { 'If-None-Match': tag } });
    expect([after.status, after.text]).toEqual([200, expect.stringContaining(embedded('A. L.'))]);
    const head = await request(path, { method: 'HEAD' });
    expect([head.headers.get('ETag'), head.text]).toEqual([after.headers.get('ETag'), '']);
    await rename(author, 'Astrid Lindgren');
  }
});

test('the contract documents an embedded relation as an object with the selected members', () => {
  expect(contract.at('components', 'schemas', 'Loan', 'properties', 'book')).toMatchObject({
    type: 'object',
    required: ['id', 'title'],
    properties: { id: { type: 'integer', format: 'int64' }, title: { type: 'string' } },
  });
});

test('a PUT sets omitted nullable members to null, and requires the other members', async () => {
  const { author, id } = await newBook();
  const path = `/v1/books/${id}`;
  const put = (body: object) => send('PUT', path, body);
  const whole = { title: 'Mio', isbn: author.padStart(12, '9'), authorId: Number(author) };
  const published = await put({ ...whole, published: '1954-01-01' });
  expect(published).toMatchObject({ status: 200, json: { published: '1954-01-01' } });
  const { title, ...some } = whole;
  for (const body of [{}, some, { ...whole, title: null }, { title }]) {
    expect(await put(body)).toMatchObject({ status: 400, json: { code: 'BAD_USER_INPUT' } });
  }
  const replaced = await put(whole);
  expect(replaced).toMatchObject({ status: 200, json: { title: 'Mio', published: null } });
});

test('GraphQL can replace whole rows, too', async () => {
  const { author, id } = await newBook();
  const input = `{ title: "Mio", isbn: "${author.padStart(12, '8')}", authorId: ${author} }`;
  const query = `mutation { replaceBook(id: ${id}, input: ${input}) { title published author { id } } }`;
  expect((await post(store, '/graphql', { query })).json).toEqual({
    data: { replaceBook: { title: 'Mio', published: null, author: { id: author } } },
  });
});
