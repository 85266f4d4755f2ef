import { expect, test } from 'vitest';
import { ALL_SCOPES, allScopesBut, startGuardedLibrary } from '../support/guarded-library.ts';

/* Lists whose rows are selected by columns are written from the database's texts, once a document comes again. */

const { send, graphql, database } = await startGuardedLibrary();
await database.author.create({ data: { name: 'James Joyce' } });
for (const isbn of ['1', '2', '3']) {
  await database.book.create({ data: { title: 'Ulysses', isbn, authorId: 1n } });
  await database.loan.create({
    data: { borrower: 'Nora', due: new Date('2026-11-22'), bookId: BigInt(isbn) },
  });
}

/** Callers with and without the scope of a column. */
const CALLERS = [
  ALL_SCOPES,
  allScopesBut('titles'),
  allScopesBut('days'),
  allScopesBut('people', 'titles'),
];

/** The answers of a request to all callers at once, as often as it takes to have it compiled, and more. */
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

test.each([
  ...BOOKS.map((query) => ({ query, scope: 'titles', secret: 'Ulysses' })),
  ...LOANS.map((query) => ({ query, scope: 'days', secret: '2026-11-22' })),
])(
  'whoever lacks $scope gets the errors that a document had when it first came: $query',
  async ({ query, scope, secret }) => {
    const answers = await answersOf(async (scopes) => {
      const { status, text } = await graphql(scopes, query);
      return { status, text };
    });
    for (const [place, scopes] of CALLERS.entries()) {
      const [first, ...others] = answers[place] ?? [];
      const isAllowed = scopes.includes(scope) && (scope === 'titles' || scopes.includes('people'));
      expect(first?.text.includes(secret)).toBe(isAllowed);
      expect(first?.text.includes('"FORBIDDEN"')).toBe(!isAllowed);
      for (const other of others) {
        expect(other).toEqual(first);
      }
    }
  },
);

test.each([
  ['/v1/books?limit=2', 'titles', 'Ulysses'],
  ['/v1/loans?limit=2', 'people', 'Nora'],
])('REST writes %s for nobody who lacks %s', async (path, scope, secret) => {
  const answers = await answersOf(async (scopes) => {
    const { status, text, headers } = await send(scopes, path);
    return { status, text, etag: headers.get('ETag'), link: headers.get('Link') };
  });
  for (const [place, scopes] of CALLERS.entries()) {
    const [first, ...others] = answers[place] ?? [];
    expect([first?.status, first?.text.includes(secret)]).toEqual(
      scopes.includes(scope) ? [200, true] : [403, false],
    );
    for (const other of others) {
      expect(other).toEqual(first);
    }
  }
});
