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

/** A schema with the extensions that a builder's options become. */
export function librarySchema(): GraphQLSchema {
  const schema = buildSchema(SDL);
  const entry = schema.getType('Entry');
  if (isObjectType(entry)) {
    entry.extensions = {
      resource: { plural: 'entries', noun: 'book', nouns: 'books', about: 'All books.' },
    };
    const fields = entry.getFields();
    Object.assign(fields['title']?.extensions ?? {}, { example: 'Ulysses' });
    Object.assign(fields['pages']?.extensions ?? {}, { example: 730 });
  }
  const add = schema.getMutationType()?.getFields()['createEntry'];
  Object.assign(add?.extensions ?? {}, { throws: [noRoom] });
  const author = schema.getType('Author');
  if (isObjectType(author)) {
    Object.assign(author.getFields()['name']?.extensions ?? {}, { example: 'James Joyce' });
  }
  const entries = schema.getQueryType()?.getFields()['entriesConnection'];
  Object.assign(entries?.extensions ?? {}, { shared: true });
  const weight = entries?.args.find(({ name }) => name === 'minimumWeight');
  Object.assign(weight?.extensions ?? {}, { example: 0.5 });
  const pages = entries?.args.find(({ name }) => name === 'pages');
  Object.assign(pages?.extensions ?? {}, { example: 730 });
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

/** REST over books, with routes of its own if any are given. */
export function library(routes: readonly Route[] = ROUTES, schema = librarySchema()): Rest {
  return createRest({
    schema,
    routes,
    basePath: '/v2',
    info: { title: 'Library', version: '2.0.0' },
    messages: { UNAUTHENTICATED: { noKey: 'Who are you?' } },
  });
}
