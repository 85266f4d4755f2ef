import { buildSchema, getIntrospectionQuery, getOperationAST, parse } from 'graphql';
import { expect, test } from 'vitest';
import { gateway as library } from '../../examples/library/src/gateway.ts';
import { loadStore } from '../../packages/gateway/src/store.ts';
import { printJson } from '../../packages/rest/src/endpoints.ts';
import {
  allScopesBut,
  ALL_SCOPES,
  scopeError,
  startGuardedLibrary,
} from '../support/guarded-library.ts';
import { memberAt } from '../support/json-members.ts';

let steps = 0;
const { send, graphql, database } = await startGuardedLibrary({
  operationSteps: [
    (operation, request, next) => {
      steps += 1;
      switch (getOperationAST(operation.document)?.name?.value) {
        case 'Other':
          return next({ document: parse('mutation { deleteBook(id: 3) { id } }') }, request);
        case 'Restricted': {
          const caller = { ...request.caller, scopes: new Set(['read']) };
          return next(operation, { ...request, caller });
        }
        default:
          return next(operation, request);
      }
    },
  ],
});
await database.author.create({ data: { name: 'James Joyce' } });
for (const isbn of ['lent', 'not lent', 'removed']) {
  await database.book.create({ data: { title: 'Ulysses', isbn, authorId: 1n } });
}
await database.loan.create({ data: { borrower: 'Nora', due: new Date(0), bookId: 1n } });

const refusal = (...scopes: readonly string[]) => ({
  errors: [expect.objectContaining(scopeError(...scopes))],
});

test('an operation with a forbidden field executes nothing, not even an operation step', async () => {
  const before = steps;
  const { json } = await graphql(
    allScopesBut('remove'),
    'mutation { updateBook(id: 3, input: { isbn: "other" }) { id } deleteBook(id: 3) { id } }',
  );
  expect(json).toEqual(refusal('remove'));
  expect(steps).toBe(before);
  expect(await database.book.findUnique({ where: { id: 3n } })).toMatchObject({ isbn: 'removed' });
});

test('the 403 error names each missing scope once', async () => {
  const query =
    'mutation { deleteBook(id: 3) { id } nothing { query { a: loans { id } b: loans { id } } } }';
  const { json, headers } = await graphql(['write'], query);
  const message = 'This request needs the scopes remove, read and people';
  expect(json).toEqual({ errors: [{ ...scopeError('remove', 'read', 'people'), message }] });
  expect(headers.get('WWW-Authenticate')).toBe(
    'Bearer error="insufficient_scope", scope="remove read people"',
  );
});

test('a 403 names the missing scope in every media type', async () => {
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

test('REST checks scopes before it reads the body or looks up a row', async () => {
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

test('introspection and __typename do not require a scope', async () => {
  const { status, text } = await graphql([], '{ __typename __schema { queryType { name } } }');
  expect([status, text]).toEqual([200, expect.stringContaining('"queryType":{"name":"Query"}')]);
});

test('a forbidden relation returns the same error whether or not it has rows', async () => {
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
    expect.objectContaining({ ...scopeError('people'), path: ['book', 'loans'] }),
  ]);
});

test.each<[what: string, query: string, variables?: object]>([
  ['by a variable', 'query ($a: ID) { books(authorId: $a) { id } }', { a: '1' }],
  ['as null', 'query ($a: ID) { books(authorId: $a) { id } }', { a: null }],
  ['in a fragment', '{ ...Books } fragment Books on Query { books(authorId: 1) { id } }'],
  ['in a skipped field', '{ books(authorId: 1) @skip(if: true) { id } __typename }'],
  ['under an alias', '{ books { id } more: books(authorId: 1) { id } }'],
])('an argument requires its scope when it is used %s', async (_what, query, variables) => {
  const { status, json } = await graphql(allScopesBut('authors'), query, variables);
  expect([status, json]).toEqual([403, refusal('authors')]);
});

test('a variable’s default value requires its scope, whatever the variable’s name', async () => {
  for (const name of ['order', 'constructor', '__proto__', 'toString']) {
    const query = `query ($${name}: [BookOrder!] = [TITLE_ASC]) { books(orderBy: $${name}) { id } }`;
    const { json } = await graphql(allScopesBut('titles'), query, {});
    expect([name, json]).toEqual([name, refusal('titles')]);
  }
});

test('omitted arguments and operations that are not executed do not require a scope', async () => {
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
  'a caller that cannot read a column cannot use it in %s',
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

test('a cursor for a forbidden sort order is rejected', async () => {
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

test('a row’s version reveals nothing about a forbidden column and cannot be guessed', async () => {
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

/** Few enough for a busy machine to respond to all of them in time. */
const CALLERS = 12;

/** Counts the executions of an operation that all callers send at once, half of them with all scopes. */
async function executionsOf(selection: string): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: CALLERS }, (_, index) =>
      graphql(index % 2 === 0 ? ALL_SCOPES : ['read'], `{ execution ${selection} }`),
    ),
  );
  return new Set(answers.map(({ json }) => memberAt(json, 'data', 'execution'))).size;
}

test('callers share the execution of an operation unless it selects a field with a scope', async () => {
  // On a busy machine, callers may arrive one by one.
  await expect.poll(() => executionsOf('books { id isbn }')).toBeLessThan(CALLERS);
  expect(await executionsOf('books { id title }')).toBe(CALLERS);
  await expect.poll(() => executionsOf('books { id isbn }')).toBeLessThan(CALLERS);
});

test('scopes are checked again after an operation step has replaced the operation or its caller', async () => {
  const other = await graphql(['read'], 'query Other { books { id } }');
  const restricted = await graphql('all', 'mutation Restricted { deleteBook(id: 3) { id } }');
  for (const { status, text } of [other, restricted]) {
    expect([status, text]).toEqual([
      403,
      expect.stringContaining('This request needs the scopes write'),
    ]);
  }
  const allowed = await graphql(['write', 'remove'], 'mutation { deleteBook(id: 3) { id } }');
  expect(allowed.json).toEqual({ data: { deleteBook: { id: '3' } } });
});

const { text: sdl } = await send('all', '/schema.graphql');

test.each([
  'type Query @requiresScopes(scopes: ["read"]) {',
  'type Mutation @requiresScopes(scopes: ["write"]) {',
  'type Loan @requiresScopes(scopes: ["people"]) {',
  'type LoanConnection @requiresScopes(scopes: ["people"]) {',
  '  title: String @requiresScopes(scopes: ["titles"])',
  '    authorId: ID @requiresScopes(scopes: ["authors"])',
  '  published: Date @requiresScopes(scopes: ["publish"])',
  '  TITLE_ASC @requiresScopes(scopes: ["titles"])',
])('the SDL with scopes contains the line %s', (line) => {
  expect(sdl.split('\n')).toContain(line);
});

test('the SDL with @requiresScopes is valid', () => {
  expect(buildSchema(sdl).getDirective('requiresScopes')).toBeDefined();
});

test('a field’s introspected description names the scopes it requires', async () => {
  const { text } = await graphql(['read'], getIntrospectionQuery());
  expect(text).toContain('Needs the scope people.');
  expect(text).toContain('Needs the scopes people and days.');
});

test('OpenAPI lists each operation’s scopes, and the operation’s 403 names them', async () => {
  const document: unknown = JSON.parse(await printJson((await loadStore(library)).rest));
  const needs = (path: string, method: string) =>
    memberAt(document, 'paths', path, method, 'security');
  expect(needs('/books', 'get')).toEqual([{ bearerAuth: ['read'] }]);
  expect(needs('/loans', 'get')).toEqual([{ bearerAuth: ['read', 'loans'] }]);
  expect(needs('/loans', 'post')).toEqual([{ bearerAuth: ['write', 'loans', 'read'] }]);
  expect(memberAt(document, 'paths', '/loans', 'get', 'responses', '403')).toEqual({
    $ref: '#/components/responses/listLoans-Forbidden',
  });
  const content = memberAt(document, 'components', 'responses', 'listLoans-Forbidden', 'content');
  expect(JSON.stringify(content)).toContain('This request needs the scopes read and loans');
});
