import { buildSchema, isObjectType, type GraphQLSchema } from 'graphql';
import { defineError } from '@store-gateway/ops/errors';
import { createRest, PAGE_INFO, type Rest, type Route } from '../src/rest.ts';

const SDL = /* GraphQL */ `
  enum Genre {
    novel
    poem
  }
  "A book."
  type Entry {
    id: ID!
    title: String!
    genre: Genre!
    "How many pages it has, if that is known."
    pages: Int
    authors: [Author!]!
  }
  type Author {
    id: ID!
    name: String!
  }
  type EntryConnection {
    nodes: [Entry!]!
    pageInfo: PageInfo!
  }
  type PageInfo {
    hasNextPage: Boolean!
    endCursor: ID
  }
  "A book to add."
  input NewEntry {
    title: String!
    authorIds: [ID!]!
    seriesId: ID
    pages: Int
    genre: Genre! = novel
  }
  type Query {
    entriesConnection(
      limit: Int! = 20
      after: ID
      isLent: Boolean
      minimumWeight: Float
      pages: [Int!]
    ): EntryConnection!
    entry(id: ID!): Entry
  }
  type Mutation {
    createEntry(input: NewEntry!): Entry!
  }
`;

const noRoom = defineError({
  code: 'NO_ROOM',
  status: 409,
  description: 'All shelves are full.',
  example: 'There is no room for poems',
});

/** A schema with the extensions that a builder derives from its options. */
export function librarySchema(): GraphQLSchema {
  const schema = buildSchema(SDL);
  const fieldsOf = (name: string) => {
    const type = schema.getType(name);
    return isObjectType(type) ? type.getFields() : {};
  };
  const [entry, author] = [fieldsOf('Entry'), fieldsOf('Author')];
  const entries = fieldsOf('Query')['entriesConnection'];
  const argument = (given: string) => entries?.args.find(({ name }) => name === given);
  const about = { plural: 'entries', noun: 'book', nouns: 'books', about: 'All books.' };
  for (const [element, extensions] of [
    [schema.getType('Entry'), { resource: about }],
    [entry['title'], { example: 'Ulysses' }],
    [entry['pages'], { example: 730 }],
    [author['name'], { example: 'James Joyce' }],
    [fieldsOf('Mutation')['createEntry'], { throws: [noRoom] }],
    [entries, { shared: true }],
    [argument('minimumWeight'), { example: 0.5 }],
    [argument('pages'), { example: 730 }],
  ] as const) {
    Object.assign(element?.extensions ?? {}, extensions);
  }
  return schema;
}

const ENTRY = 'fragment Entry on Entry { id title genre pages authors { id name } }';

export const ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/entries',
    summary: 'List books',
    document: `query listEntries($limit: Int, $isLent: Boolean, $minimumWeight: Float, $pages: [Int!], $after: ID) {
      entriesConnection(limit: $limit, isLent: $isLent, minimumWeight: $minimumWeight, pages: $pages, after: $after) { nodes { ...Entry } ${PAGE_INFO} }
    } ${ENTRY}`,
    status: 200,
  },
  {
    method: 'post',
    path: '/entries',
    summary: 'Add a book',
    document: `mutation createEntry($input: NewEntry!) { createEntry(input: $input) { ...Entry } } ${ENTRY}`,
    status: 201,
  },
  {
    method: 'get',
    path: '/entries/:entryId',
    summary: 'Get a book',
    document: `query getEntry($entryId: ID!) { entry(id: $entryId) { ...Entry } } ${ENTRY}`,
    status: 200,
  },
];

/** A REST API for books, by default with `ROUTES`. */
export function library(routes: readonly Route[] = ROUTES, schema = librarySchema()): Rest {
  return createRest({
    schema,
    routes,
    basePath: '/v2',
    info: { title: 'Library', version: '2.0.0' },
    messages: { UNAUTHENTICATED: { noKey: 'Who are you?' } },
  });
}
