import { onEveryWay, onEveryWayOfGraphQL, type Column, type Way } from '../access/matrix/ways.ts';

/** Omitted, an error, null, or a reference to a missing row: always as if the row did not exist. */
type Outcome = 'absent' | '404' | 'null' | '400';

const probe = (outcome: Outcome, query: string) => ({ outcome, query });
const get = (outcome: Outcome, path: string) => ({ outcome, path });

const LIST = probe(
  'absent',
  `query ($note: ID!) {
    notes { title } some: notes(ids: [$note]) { title } topics { notes { title } }
  }`,
);
const REST_LIST = get('absent', '/v1/notes?limit=50');
const REST_UPDATE = {
  outcome: '404',
  path: '/v1/notes/NOTE',
  method: 'PATCH',
  body: {},
} as const;

/**
 * A type's row rule: to a caller, hidden rows do not exist. Queries have the hidden rows' ids in the variables `$note`
 * and `$folder`; REST requests have the placeholders NOTE and FOLDER.
 */
export const HIDDEN_ROW: Column & { readonly graphql: Readonly<Record<Way, object>> } = {
  name: 'hidden row',
  graphql: {
    list: LIST,
    get: probe('404', 'query ($note: ID!) { note(id: $note) { title } }'),
    connection: probe(
      'absent',
      `{
        notesConnection(first: 50) {
          edges { cursor node { title } } totalCount pageInfo { hasNextPage endCursor }
        }
        last: notesConnection(first: 2) { pageInfo { hasNextPage } }
      }`,
    ),
    'nested relation': probe('null', '{ note(id: 1) { title folder { name notes { title } } } }'),
    'argument or filter': probe(
      'absent',
      `query ($note: ID!, $folder: ID!) {
        notes(folderId: $folder) { title }
        some: notes(ids: [$note]) { title }
        after: notesConnection(after: $note) { totalCount nodes { title } }
      }`,
    ),
    order: probe(
      'absent',
      '{ notes(orderBy: [TITLE_DESC]) { title } folder(id: 1) { notes { title } } }',
    ),
    'input member': probe(
      '400',
      `mutation ($folder: ID!) {
        updateNote(id: 1, input: { folderId: $folder }) { title folder { name } }
      }`,
    ),
    mutation: probe(
      '404',
      `mutation ($note: ID!) {
        updateNote(id: $note, input: {}) { title } deleteNote(id: $note) { id }
      }`,
    ),
    'several aliases': probe(
      '404',
      `query ($note: ID!) {
        own: note(id: 1) { title } a: note(id: $note) { title } b: note(id: $note) { id }
      }`,
    ),
    ...onEveryWayOfGraphQL(LIST),
    'replay of what was allowed': probe(
      '404',
      'mutation ($note: ID!) { updateNote(id: $note, input: {}) { title } }',
    ),
  },
  rest: {
    list: REST_LIST,
    get: get('404', '/v1/notes/NOTE'),
    connection: get('absent', '/v1/notes?limit=2&after=6'),
    'nested relation': get('null', '/v1/notes/1'),
    'argument or filter': get('absent', '/v1/notes?folderId=FOLDER'),
    order: get('absent', '/v1/notes?sort=-title'),
    'input member': {
      outcome: '400',
      path: '/v1/notes/1',
      method: 'PATCH',
      body: { folderId: 'FOLDER' },
    },
    mutation: REST_UPDATE,
    ...onEveryWay(REST_LIST),
    'replay of what was allowed': REST_UPDATE,
  },
};
