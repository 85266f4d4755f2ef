import {
  onEveryWay,
  onEveryWayOfGraphQL,
  WAYS,
  type Column,
  type OnWays,
  type Query,
  type RestRequest,
} from './ways.ts';

/** A rule that requires a scope, with an attempt to bypass it on each way. */
interface ScopeRule extends Column {
  readonly scope: string;
}

/**
 * @param graphql queries as texts, which get 403, or queries with their outcome
 * @param rest paths for GET, or other requests
 */
function ruleOf(
  name: string,
  scope: string,
  graphql: OnWays<string | Query>,
  rest: OnWays<string | RestRequest>,
): ScopeRule {
  return {
    name,
    scope,
    graphql: probesOf(graphql, (query) => ({ query })),
    rest: probesOf(rest, (path) => ({ path })),
  };
}

function probesOf<Probe extends object>(
  given: OnWays<string | Probe>,
  ofText: (text: string) => Probe,
): OnWays<Probe & { outcome: string }> {
  return Object.fromEntries(
    WAYS.flatMap((way) => {
      const each = given[way];
      return each === undefined
        ? []
        : [[way, { outcome: '403', ...(typeof each === 'string' ? ofText(each) : each) }] as const];
    }),
  );
}

const nulled = (query: string, variables = {}) => ({ query, variables, outcome: 'null' }) as const;

const CREATE = 'mutation ($input: NewBook!) { createBook(input: $input) { id } }';
const CREATE_TITLED = 'mutation ($input: NewBook!) { createBook(input: $input) { title } }';

/** The members of a new book. Ids are strings, as in GraphQL; REST needs numbers. */
const book = (isbn: string, others = {}) => ({ title: 'Exiles', isbn, authorId: '1', ...others });
const post = (path: string, isbn: string, others = {}) =>
  ({ path, method: 'POST', body: { ...book(isbn, others), authorId: 1 } }) as const;

const ISBNS = '{ books { id isbn } }';
/** Every field of Query requires `read`. */
const READ = ruleOf(
  'read',
  'read',
  {
    list: ISBNS,
    get: '{ book(id: 1) { id } }',
    connection: '{ booksConnection { nodes { id } } }',
    'nested relation': 'mutation { nothing { query { books { id } } } }',
    'several aliases': '{ a: __typename b: books { id } }',
    ...onEveryWayOfGraphQL(ISBNS),
  },
  { list: '/v1/stock', get: '/v1/stock/1', ...onEveryWay('/v1/stock') },
);

/** Every field of Mutation requires `write`. */
const WRITE = ruleOf(
  'write',
  'write',
  {
    mutation: 'mutation { updateBook(id: 1, input: {}) { id } }',
    'several aliases': 'mutation { a: nothing { __typename } b: nothing { __typename } }',
    'replay of what was allowed': { query: CREATE, variables: { input: book('of GraphQL') } },
  },
  {
    mutation: { path: '/v1/stock/1', method: 'PATCH', body: {} },
    'replay of what was allowed': post('/v1/stock', 'of REST'),
  },
);

const TITLES = nulled('{ books { id title } }');
/** A field requires a scope. Without it, the field cannot be read and nothing else reveals its value. */
const FIELD = ruleOf(
  'of a field',
  'titles',
  {
    list: TITLES,
    get: nulled('{ book(id: 1) { id title } }'),
    connection: nulled('{ booksConnection { edges { node { title } } } }'),
    'nested relation': nulled('{ author(id: 1) { books { title } } }'),
    'argument or filter': {
      query: 'query ($by: String) { author(id: 1) { books(title: $by) { id } } }',
      variables: { by: 'Ulysses' },
    },
    order: '{ books(orderBy: [TITLE_DESC]) { id } }',
    mutation: nulled('mutation { updateBook(id: 1, input: {}) { title } }'),
    'several aliases': nulled('{ books { id a: title b: version } }'),
    'replay of what was allowed': nulled(CREATE_TITLED, { input: book('titled') }),
    ...onEveryWayOfGraphQL(TITLES),
  },
  {
    list: '/v1/books',
    get: '/v1/books/1',
    'argument or filter': '/v1/stock?titlePrefix=Ulys',
    order: '/v1/stock?sort=-title',
    mutation: post('/v1/books', 'new'),
    'replay of what was allowed': post('/v1/books', 'kept'),
    ...onEveryWay('/v1/books'),
  },
);

const LOANS = '{ loans { id borrower } }';
/** A type requires a scope, as does every field that returns the type or a page of it. */
const TYPE = ruleOf(
  'of a type',
  'people',
  {
    list: LOANS,
    get: '{ loan(id: 1) { id } }',
    connection: '{ loansConnection { totalCount } }',
    'nested relation': nulled('{ book(id: 1) { id loans { borrower } } }'),
    'argument or filter': '{ book(id: 1) { loans(dueFrom: "2026-01-01T00:00:00Z") { id } } }',
    order: '{ book(id: 1) { loans(orderBy: [DUE_ASC]) { id } } }',
    'several aliases': '{ a: books { id } b: loans { id } }',
    ...onEveryWayOfGraphQL(LOANS),
  },
  {
    list: '/v1/loans',
    get: '/v1/loans/1',
    connection: '/v1/books/1/loans',
    'nested relation': '/v1/lent/1',
    ...onEveryWay('/v1/loans'),
  },
);

/** An argument requires a scope. Without it, the argument must be omitted. */
const ARGUMENT = ruleOf(
  'of an argument',
  'authors',
  {
    'argument or filter': {
      query: 'query ($author: ID) { booksConnection(authorId: $author) { nodes { id } } }',
      variables: { author: '1' },
    },
    'several aliases': '{ a: books { id } b: books(authorId: 1) { id } }',
    ...onEveryWayOfGraphQL('{ books(authorId: 1) { id } }'),
  },
  {
    'argument or filter': '/v1/stock?authorId=1',
    ...onEveryWay('/v1/stock?authorId=1'),
  },
);

const published = { published: '1907-05-01' };
/** An input field requires a scope. */
const INPUT = ruleOf(
  'of an input field',
  'publish',
  {
    'input member': { query: CREATE, variables: { input: book('a', published) } },
    'replay of what was allowed': { query: CREATE, variables: { input: book('b', published) } },
  },
  {
    'input member': post('/v1/stock', 'c', published),
    'replay of what was allowed': post('/v1/stock', 'd', published),
  },
);

/** A field of Mutation requires a scope in addition to `write`. */
const MUTATION = ruleOf(
  'of a mutation',
  'remove',
  {
    mutation: 'mutation { deleteBook(id: 2) { id } }',
    'several aliases': 'mutation { a: nothing { __typename } b: deleteBook(id: 3) { id } }',
    'replay of what was allowed': 'mutation { deleteBook(id: 4) { id } }',
  },
  {
    mutation: { path: '/v1/stock/5', method: 'DELETE' },
    'replay of what was allowed': { path: '/v1/stock/6', method: 'DELETE' },
  },
);

export const SCOPE_RULES = [READ, WRITE, FIELD, TYPE, ARGUMENT, INPUT, MUTATION];
