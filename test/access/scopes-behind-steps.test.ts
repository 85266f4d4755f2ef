import { expect, test } from 'vitest';
import { getOperationAST, parse } from 'graphql';
import { startGuardedLibrary } from '../support/guarded-library.ts';

const { graphql, database } = await startGuardedLibrary({
  operationSteps: [
    (operation, request, next) => {
      switch (getOperationAST(operation.document)?.name?.value) {
        case 'Other':
          return next({ document: parse('mutation { deleteBook(id: 1) { id } }') }, request);
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
await database.book.create({ data: { title: 'Ulysses', isbn: '1', authorId: 1n } });

test('a step goes on within the scopes of the caller that it goes on for', async () => {
  const other = await graphql(['read'], 'query Other { books { id } }');
  const restricted = await graphql('all', 'mutation Restricted { deleteBook(id: 1) { id } }');
  for (const { status, text } of [other, restricted]) {
    expect([status, text]).toEqual([
      403,
      expect.stringContaining('This request needs the scopes write'),
    ]);
  }
  expect(await database.book.count()).toBe(1);
  const allowed = await graphql(['write', 'remove'], 'mutation { deleteBook(id: 1) { id } }');
  expect(allowed.json).toEqual({ data: { deleteBook: { id: '1' } } });
});
