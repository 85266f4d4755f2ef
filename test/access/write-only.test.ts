import { expect, test } from 'vitest';
import { ALL_SCOPES, startGuardedLibrary } from '../support/guarded-library.ts';
import { memberAt } from '../support/json-members.ts';

const { send, graphql, database } = await startGuardedLibrary();
await database.author.create({ data: { name: 'James Joyce' } });

let books = 0;

/** @returns its id */
async function addBook(): Promise<string> {
  const isbn = String((books += 1));
  const { id } = await database.book.create({ data: { title: 'Ulysses', isbn, authorId: 1n } });
  return String(id);
}

const WRITER = ['write', 'titles'];

const refusal = (scope: string) => ({
  errors: [
    expect.objectContaining({
      message: `This request needs the scope ${scope}`,
      extensions: { code: 'FORBIDDEN', status: 403, scopes: [scope] },
    }),
  ],
});

const body = (value: object) => ({
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(value),
});

test.each([
  'updateBook(id: $id, input: { isbn: "other" }) { isbn }',
  'updateBook(id: $id, input: { isbn: "other" }) { ...Shown }',
  'updateBook(id: $id, input: { isbn: "other" }) { id @skip(if: true) version }',
  'updateBook(id: $id, input: { isbn: "other" }) { loans(limit: 1) { __typename } }',
  'deleteBook(id: $id) { title }',
  'nothing { book { isbn } }',
  `createBook(input: { title: "a", isbn: "other", authorId: 1 }) { isbn }
   updateBook(id: $id, input: {}) { id isbn }`,
  'createBook(input: { title: "a", isbn: "other", authorId: 1 }) { loans(limit: 1) { id } }',
])(
  'without the scope read nothing is executed of a mutation that shows rows: %s',
  async (fields) => {
    const id = await addBook();
    const shown = fields.includes('...Shown') ? 'fragment Shown on Book { isbn }' : '';
    const { status, json } = await graphql(
      [...WRITER, 'remove', 'people'],
      `mutation { ${fields.replace('$id', id)} } ${shown}`,
    );
    expect([status, json]).toEqual([403, refusal('read')]);
    expect(await database.book.findUnique({ where: { id: BigInt(id) } })).toMatchObject({
      title: 'Ulysses',
    });
    expect(await database.book.findUnique({ where: { isbn: 'other' } })).toBeNull();
  },
);

test('without the scope read a mutation may select the ids of rows that it changes, and what it creates', async () => {
  const id = await addBook();
  const { json } = await graphql(
    [...WRITER, 'remove'],
    `
      mutation ($id: ID!) {
        created: createBook(input: { title: "Exiles", isbn: "created", authorId: 1 }) {
          title
          isbn
        }
        nothing {
          book {
            id
            __typename
          }
        }
        deleted: deleteBook(id: $id) {
          id
        }
      }
    `,
    { id },
  );
  expect(json).toEqual({
    data: {
      created: { title: 'Exiles', isbn: 'created' },
      nothing: { book: { id: '1', __typename: 'Book' } },
      deleted: { id },
    },
  });
});

test('without the scope read, REST makes changes and returns 204 without a body or an ETag', async () => {
  const id = await addBook();
  const path = `/v1/stock/${id}`;
  const patch = await send(WRITER, path, { method: 'PATCH', ...body({ isbn: `p${id}` }) });
  expect([patch.status, patch.text, patch.headers.get('ETag')]).toEqual([204, '', null]);
  expect(await database.book.findUnique({ where: { id: BigInt(id) } })).toMatchObject({
    isbn: `p${id}`,
  });
  const removal = await send([...WRITER, 'remove'], path, { method: 'DELETE' });
  expect(removal.status).toBe(204);
  const missing = await send(WRITER, path, { method: 'PATCH', ...body({ isbn: 'x' }) });
  expect(missing.json).toMatchObject({ status: 404 });
});

test('without the scope read, REST returns what it has created', async () => {
  const input = { title: 'Exiles', isbn: 'by REST', authorId: 1 };
  const { status, json } = await send(WRITER, '/v1/books', { method: 'POST', ...body(input) });
  expect([status, json]).toEqual([201, { id: memberAt(json, 'id'), title: 'Exiles' }]);
});

test('a caller can’t overwrite a column that it can’t read, but can create it', async () => {
  const id = await addBook();
  const lacking = ALL_SCOPES.filter((scope) => scope !== 'titles');
  const change =
    'mutation ($id: ID!, $input: UpdateBookInput!) { updateBook(id: $id, input: $input) { id } }';
  const { status, json } = await graphql(lacking, change, { id, input: { title: 'Exiles' } });
  expect([status, json]).toEqual([403, refusal('titles')]);
  const patch = await send(lacking, `/v1/stock/${id}`, {
    method: 'PATCH',
    ...body({ title: 'Exiles' }),
  });
  expect(patch.json).toMatchObject({ status: 403, message: 'This request needs the scope titles' });
  expect(await database.book.findUnique({ where: { id: BigInt(id) } })).toMatchObject({
    title: 'Ulysses',
  });
  const allowed = await graphql(ALL_SCOPES, change, { id, input: { title: 'Exiles' } });
  expect(allowed.json).toEqual({ data: { updateBook: { id } } });
});

test('the scopes of an input field decide who may write its column', async () => {
  const id = await addBook();
  const { json } = await graphql(
    ['write'],
    'mutation ($id: ID!) { retitleBook(id: $id, input: { title: "Exiles" }) { id } }',
    { id },
  );
  expect(json).toEqual({ data: { retitleBook: { id } } });
});
