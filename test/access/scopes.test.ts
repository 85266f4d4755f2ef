import { expect, test } from 'vitest';
import { allScopesBut, ALL_SCOPES, startGuardedLibrary } from '../support/guarded-library.ts';
import { memberAt } from '../support/json-members.ts';

let steps = 0;
const { send, graphql, database } = await startGuardedLibrary({
  operationSteps: [
    (operation, request, next) => {
      steps += 1;
      return next(operation, request);
    },
  ],
});
await database.author.create({ data: { name: 'James Joyce' } });
for (const isbn of ['lent', 'not lent', 'removed']) {
  await database.book.create({ data: { title: 'Ulysses', isbn, authorId: 1n } });
}
await database.loan.create({ data: { borrower: 'Nora', due: new Date(0), bookId: 1n } });

const refusal = (...scopes: readonly string[]) => ({
  errors: [expect.objectContaining({ extensions: { code: 'FORBIDDEN', status: 403, scopes } })],
});

test('nothing of an operation is executed if one of its fields is forbidden, not even a step', async () => {
  const before = steps;
  const { json } = await graphql(
    allScopesBut('remove'),
    'mutation { updateBook(id: 3, input: { isbn: "other" }) { id } deleteBook(id: 3) { id } }',
  );
  expect(json).toEqual(refusal('remove'));
  expect(steps).toBe(before);
  expect(await database.book.findUnique({ where: { id: 3n } })).toMatchObject({ isbn: 'removed' });
});

test('an error tells all scopes that a caller lacks, once', async () => {
  const query =
    'mutation { deleteBook(id: 3) { id } nothing { query { a: loans { id } b: loans { id } } } }';
  const { json, headers } = await graphql(['write'], query);
  expect(json).toEqual({
    errors: [
      {
        message: 'This request needs the scopes remove, read and people',
        extensions: { code: 'FORBIDDEN', status: 403, scopes: ['remove', 'read', 'people'] },
      },
    ],
  });
  expect(headers.get('WWW-Authenticate')).toBe(
    'Bearer error="insufficient_scope", scope="remove read people"',
  );
});

test('a refusal has the same form in all media types', async () => {
  const types = [
    'application/json',
    'application/graphql-response+json',
    'application/problem+json',
  ];
  const paths = ['/graphql?query={loans{id}}', '/graphql?query={loans{id}}', '/v1/loans'];
  const answers = await Promise.all(
    paths.map((path, index) => send(['read'], path, { headers: { Accept: types[index] ?? '' } })),
  );
  for (const [index, { status, headers, text }] of answers.entries()) {
    expect([status, headers.get('Content-Type')?.split(';')[0]]).toEqual([403, types[index]]);
    expect(headers.get('WWW-Authenticate')).toBe(
      'Bearer error="insufficient_scope", scope="people"',
    );
    expect(text).toContain('This request needs the scope people');
  }
});

test('REST refuses before it reads a body, or looks for anything', async () => {
  for (const body of ['{', 'x'.repeat(200_000)]) {
    const { status, json } = await send(['read'], '/v1/stock', {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain', Accept: 'text/html' },
      body,
    });
    expect([status, json]).toEqual([
      403,
      { code: 'FORBIDDEN', message: 'This request needs the scope write', status: 403 },
    ]);
  }
  expect((await send(['read'], '/v1/books/404')).status).toBe(403);
  expect((await send(['read', 'titles'], '/v1/books/404')).status).toBe(404);
});

test('introspection, and the name of a type, need no scope', async () => {
  const { status, text } = await graphql([], '{ __typename __schema { queryType { name } } }');
  expect([status, text]).toEqual([200, expect.stringContaining('"queryType":{"name":"Query"}')]);
});

test('a forbidden relation is the same error whether there are rows or none', async () => {
  const answers = await Promise.all(
    ['1', '2'].map((id) =>
      graphql(['read'], 'query ($id: ID!) { book(id: $id) { loans(limit: 1) { borrower } } }', {
        id,
      }),
    ),
  );
  const [lent, notLent] = answers.map(({ text }) => text);
  expect(lent).toBe(notLent);
  expect(memberAt(answers[0]?.json, 'errors')).toEqual([
    expect.objectContaining({
      path: ['book', 'loans'],
      message: 'This request needs the scope people',
    }),
  ]);
});

test.each<[what: string, query: string, variables?: object]>([
  ['by a variable', 'query ($a: ID) { books(authorId: $a) { id } }', { a: '1' }],
  ['as null', 'query ($a: ID) { books(authorId: $a) { id } }', { a: null }],
  ['by the default of a variable', 'query ($a: ID = 1) { books(authorId: $a) { id } }'],
  ['in a fragment', '{ ...Books } fragment Books on Query { books(authorId: 1) { id } }'],
  ['where a directive leaves it out', '{ books(authorId: 1) @skip(if: true) { id } __typename }'],
  ['behind an alias', '{ books { id } more: books(authorId: 1) { id } }'],
])('an argument is given %s', async (_what, query, variables) => {
  const { status, json } = await graphql(allScopesBut('authors'), query, variables);
  expect([status, json]).toEqual([403, refusal('authors')]);
});

test('a default counts whatever its variable is called', async () => {
  for (const name of ['order', 'constructor', '__proto__', 'toString']) {
    const query = `query ($${name}: [BookOrder!] = [TITLE_ASC]) { books(orderBy: $${name}) { id } }`;
    const { json } = await graphql(allScopesBut('titles'), query, {});
    expect([name, json]).toEqual([name, refusal('titles')]);
  }
});

test('what isn’t given needs no scope', async () => {
  const unused = 'query ($a: ID) { books(authorId: $a) { id } }';
  expect((await graphql(allScopesBut('authors'), unused)).status).toBe(200);
  const others = await send(['read'], '/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      query: 'query A { books { id } } query B { loans { id } }',
      operationName: 'A',
    }),
  });
  expect(others.status).toBe(200);
});

test.each(['title: "Ulysses"', 'titlePrefix: "U"', 'search: "lyss"', 'orderBy: [TITLE_ASC]'])(
  'what can’t be read can’t be found by: %s',
  async (argument) => {
    for (const list of [
      `books(${argument}) { id }`,
      `booksConnection(${argument}) { edges { cursor } }`,
    ]) {
      const { json } = await graphql(allScopesBut('titles'), `{ ${list} }`);
      expect(json).toEqual(refusal('titles'));
    }
  },
);

test('a cursor of a forbidden order leads nowhere', async () => {
  const { json } = await graphql(
    ALL_SCOPES,
    '{ booksConnection(first: 1, orderBy: [TITLE_ASC]) { pageInfo { endCursor } } }',
  );
  const after = memberAt(json, 'data', 'booksConnection', 'pageInfo', 'endCursor');
  const next = await graphql(
    allScopesBut('titles'),
    'query ($after: ID) { booksConnection(first: 1, after: $after) { nodes { id } } }',
    { after },
  );
  expect(next.text).toContain('BAD_USER_INPUT');
});

test('a version tells nothing of what can’t be read, and can’t be guessed', async () => {
  const lacking = allScopesBut('titles');
  const { json } = await graphql(lacking, '{ book(id: 2) { version } }');
  expect(memberAt(json, 'data', 'book')).toBeNull();
  const change = 'mutation ($v: [String!]) { updateBook(id: 2, input: {}, expected: $v) { id } }';
  expect((await graphql(lacking, change, { v: ['guessed'] })).json).toEqual(refusal('titles'));
  const tagOf = async () => (await send(lacking, '/v1/stock/2')).headers.get('ETag');
  const tag = (await tagOf()) ?? '';
  await database.book.update({ where: { id: 2n }, data: { title: 'Finnegans Wake' } });
  expect(await tagOf()).toBe(tag);
  const patch = await send(lacking, '/v1/stock/2', {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json', 'If-Match': tag },
    body: '{}',
  });
  expect(patch.json).toMatchObject({
    code: 'FORBIDDEN',
    message: 'This request needs the scope titles',
  });
});

/** So few that a busy machine answers them in time. */
const CALLERS = 12;

/** How often an operation is executed that they send at once, half of whom may do everything. */
async function executionsOf(selection: string): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: CALLERS }, (_, index) =>
      graphql(index % 2 === 0 ? ALL_SCOPES : ['read'], `{ execution ${selection} }`),
    ),
  );
  return new Set(answers.map(({ json }) => memberAt(json, 'data', 'execution'))).size;
}

test('an operation is shared by all callers, unless it selects what needs a scope', async () => {
  expect(await executionsOf('books { id isbn }')).toBeLessThan(CALLERS);
  expect(await executionsOf('books { id title }')).toBe(CALLERS);
  expect(await executionsOf('books { id isbn }')).toBeLessThan(CALLERS);
});

test('one caller’s answer is never another’s, whoever comes first', async () => {
  for (const selection of ['{ books { title } }', '{ book(id: 1) { title } }']) {
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const scopes = index % 3 === 0 ? ALL_SCOPES : ['read'];
        const { text } = await graphql(scopes, selection);
        return [scopes === ALL_SCOPES, text.includes('Ulysses'), text.includes('FORBIDDEN')];
      }),
    );
    expect(
      answers.every(([isAllowed, shown, refused]) => shown === isAllowed && refused !== isAllowed),
    ).toBe(true);
  }
});
