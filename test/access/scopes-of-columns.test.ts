import { expect, test } from 'vitest';
import { memberAt } from '../support/json-members.ts';
import {
  ALL_SCOPES,
  allScopesBut,
  scopeError,
  startGuardedLibrary,
} from '../support/guarded-library.ts';

/* From the second request on, lists that select columns are written from the texts that the database returns. */

const { send, graphql, database } = await startGuardedLibrary();
await database.author.create({ data: { name: 'James Joyce' } });
for (const isbn of ['1', '2', '3']) {
  await database.book.create({ data: { title: 'Ulysses', isbn, authorId: 1n } });
  await database.loan.create({
    data: { borrower: 'Nora', due: new Date('2026-11-22'), bookId: BigInt(isbn) },
  });
}

/** The scopes of callers with and without a column's scope. */
const CALLERS = [
  ALL_SCOPES,
  allScopesBut('titles'),
  allScopesBut('days'),
  allScopesBut('people', 'titles'),
];

/** Sends a request from all callers at once, often enough for it to be compiled. Returns the responses by caller. */
async function answersOf<Answered>(
  ask: (scopes: readonly string[]) => Promise<Answered>,
): Promise<readonly (readonly Answered[])[]> {
  const rounds: Answered[][] = [];
  for (let round = 0; round < 4; round += 1) {
    rounds.push(await Promise.all([...CALLERS, ...CALLERS].map(ask)));
  }
  return CALLERS.map((_scopes, place) =>
    rounds.flatMap((answers) =>
      answers.filter((_answer, index) => index % CALLERS.length === place),
    ),
  );
}

const BOOKS = [
  '{ books { id title } }',
  '{ books { title: isbn isbn: title } }',
  '{ books { id ...B } } fragment B on Book { isbn ... { t: title } }',
  '{ list: booksConnection(first: 2) { nodes { id title } pageInfo { endCursor } } }',
  '{ ...Q } fragment Q on Query { booksConnection { n: nodes { ...B } } } fragment B on Book { title }',
  '{ author(id: 1) { books(limit: 2) { id title } } }',
  '{ authors { name books(limit: 2) { id title } } }',
];
const LOANS = [
  '{ loans { id due } }',
  '{ loansConnection(last: 2) { nodes { day: due ...L } totalCount } } fragment L on Loan { due }',
  '{ books { id loans(limit: 1) { id due } } }',
];
const pathOf = (query: string) => `/graphql?query=${encodeURIComponent(query)}`;

test.each([
  ...BOOKS.map((query) => ({ path: pathOf(query), scopes: ['titles'], secret: 'Ulysses' })),
  ...LOANS.map((query) => ({
    path: pathOf(query),
    scopes: ['days', 'people'],
    secret: '2026-11-22',
  })),
  { path: '/v1/books?limit=2', scopes: ['titles'], secret: 'Ulysses' },
  { path: '/v1/loans?limit=2', scopes: ['people'], secret: 'Nora' },
])(
  'callers without $scopes get an error, and each caller always gets the same response: $path',
  async ({ path, scopes, secret }) => {
    const answers = await answersOf(async (given) => {
      const { status, text, headers } = await send(given, path);
      return { status, text, etag: headers.get('ETag'), link: headers.get('Link') };
    });
    for (const [place, given] of CALLERS.entries()) {
      const [first, ...others] = answers[place] ?? [];
      const isAllowed = scopes.every((scope) => given.includes(scope));
      expect(first?.text.includes(secret)).toBe(isAllowed);
      expect(first?.text.includes('"FORBIDDEN"')).toBe(!isAllowed);
      for (const other of others) {
        expect(other).toEqual(first);
      }
    }
  },
);

let books = 0;

/** Creates a book. @returns its id */
async function addBook(): Promise<string> {
  const isbn = `added ${(books += 1)}`;
  const { id } = await database.book.create({ data: { title: 'Ulysses', isbn, authorId: 1n } });
  return String(id);
}

const WRITER = ['write', 'titles'];

const refusal = (scope: string) => ({ errors: [expect.objectContaining(scopeError(scope))] });

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
  'without the scope read, a mutation that selects a row’s fields executes nothing: %s',
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

test('without the scope read, a mutation may select the ids of changed rows and all fields of a created row', async () => {
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

test('without the scope read, REST changes return 204 without a body or ETag', async () => {
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

test('without the scope read, REST returns the row that it creates', async () => {
  const input = { title: 'Exiles', isbn: 'by REST', authorId: 1 };
  const { status, json } = await send(WRITER, '/v1/books', { method: 'POST', ...body(input) });
  expect([status, json]).toEqual([201, { id: memberAt(json, 'id'), title: 'Exiles' }]);
});

test('a caller cannot overwrite a column that it cannot read', async () => {
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

test('the scopes of an input field override those of its column', async () => {
  const id = await addBook();
  const { json } = await graphql(
    ['write'],
    'mutation ($id: ID!) { retitleBook(id: $id, input: { title: "Exiles" }) { id } }',
    { id },
  );
  expect(json).toEqual({ data: { retitleBook: { id } } });
});
