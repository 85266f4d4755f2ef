import { buildSchema, getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { startGuardedLibrary } from '../support/guarded-library.ts';
import { memberAt } from '../support/json-members.ts';
import { gateway as library } from '../../examples/library/src/gateway.ts';
import { loadStore } from '../../packages/gateway/src/store.ts';
import { printJson } from '../../packages/rest/src/endpoints.ts';

const { send, graphql } = await startGuardedLibrary();
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
])('the SDL has %s', (line) => {
  expect(sdl.split('\n')).toContain(line);
});

test('the SDL is valid', () => {
  expect(buildSchema(sdl).getDirective('requiresScopes')).toBeDefined();
});

test('introspection describes what a field needs', async () => {
  const { text } = await graphql(['read'], getIntrospectionQuery());
  expect(text).toContain('Needs the scope people.');
  expect(text).toContain('Needs the scopes people and days.');
});

test('OpenAPI has the scopes of each operation, and names them in its 403', async () => {
  const document: unknown = JSON.parse(await printJson((await loadStore(library)).rest));
  const needs = (path: string, method: string) =>
    memberAt(document, 'paths', path, method, 'security');
  expect(needs('/books', 'get')).toEqual([{ bearerAuth: ['read'] }]);
  expect(needs('/loans', 'get')).toEqual([{ bearerAuth: ['read', 'loans'] }]);
  expect(needs('/loans', 'post')).toEqual([{ bearerAuth: ['write', 'loans', 'read'] }]);
  expect(memberAt(document, 'paths', '/loans', 'get', 'responses', '403')).toEqual({
    $ref: '#/components/responses/listLoans-Forbidden',
  });
  const refusal = memberAt(document, 'components', 'responses', 'listLoans-Forbidden', 'content');
  expect(JSON.stringify(refusal)).toContain('This request needs the scopes read and loans');
});
