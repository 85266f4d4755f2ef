import { onEveryWay, type Column, type GraphQLProbe, type RestProbe, type Way } from './rule.ts';

/** Left out, as an error, as null, or as a reference to nothing: always as if there were no such row. */
export type HiddenOutcome = 'absent' | '404' | 'null' | '400';

/** The ids of what is hidden; a query has them as the variables `$note` and `$folder`. */
export interface HiddenIds {
  readonly note: string;
  readonly folder: string;
}

export interface HiddenProbe extends Pick<GraphQLProbe, 'query'> {
  readonly outcome: HiddenOutcome;
}

export interface HiddenRestProbe {
  readonly outcome: HiddenOutcome;
  readonly request: (ids: HiddenIds) => RestProbe;
}

interface HiddenRow extends Column {
  readonly graphql: Readonly<Record<Way, HiddenProbe>>;
  readonly rest: Partial<Record<Way, HiddenRestProbe>>;
}

const LIST: HiddenProbe = {
  query: `query ($note: ID!) {
    notes { title } some: notes(ids: [$note]) { title } topics { notes { title } }
  }`,
  outcome: 'absent',
};

const UPDATE: HiddenProbe = {
  query: 'mutation ($note: ID!) { updateNote(id: $note, input: {}) { title } }',
  outcome: '404',
};

const REST_LIST: HiddenRestProbe = {
  request: () => ({ path: '/v1/notes?limit=50' }),
  outcome: 'absent',
};

const REST_UPDATE: HiddenRestProbe = {
  request: ({ note }) => ({ path: `/v1/notes/${note}`, method: 'PATCH', body: {} }),
  outcome: '404',
};

/** A type says which of its rows a caller sees: the others are as if they weren't there. */
export const HIDDEN_ROW: HiddenRow = {
  name: 'hidden row',
  graphql: {
    list: LIST,
    get: { query: 'query ($note: ID!) { note(id: $note) { title } }', outcome: '404' },
    connection: {
      query: `{
        notesConnection(first: 50) {
          edges { cursor node { title } } totalCount pageInfo { hasNextPage endCursor }
        }
        last: notesConnection(first: 2) { pageInfo { hasNextPage } }
      }`,
      outcome: 'absent',
    },
    'nested relation': {
      query: '{ note(id: 1) { title folder { name notes { title } } } }',
      outcome: 'null',
    },
    'argument or filter': {
      query: `query ($note: ID!, $folder: ID!) {
        notes(folderId: $folder) { title }
        some: notes(ids: [$note]) { title }
        after: notesConnection(after: $note) { totalCount nodes { title } }
      }`,
      outcome: 'absent',
    },
    order: {
      query: '{ notes(orderBy: [TITLE_DESC]) { title } folder(id: 1) { notes { title } } }',
      outcome: 'absent',
    },
    'input member': {
      query: `mutation ($folder: ID!) {
        updateNote(id: 1, input: { folderId: $folder }) { title folder { name } }
      }`,
      outcome: '400',
    },
    mutation: {
      query: `mutation ($note: ID!) {
        updateNote(id: $note, input: {}) { title } deleteNote(id: $note) { id }
      }`,
      outcome: '404',
    },
    'several aliases': {
      query: `query ($note: ID!) {
        own: note(id: 1) { title } a: note(id: $note) { title } b: note(id: $note) { id }
      }`,
      outcome: '404',
    },
    'trusted document': LIST,
    'GET with a query': LIST,
    ...onEveryWay(LIST),
    'replay of what was allowed': UPDATE,
  },
  rest: {
    list: REST_LIST,
    get: { request: ({ note }) => ({ path: `/v1/notes/${note}` }), outcome: '404' },
    connection: { request: () => ({ path: '/v1/notes?limit=2&after=6' }), outcome: 'absent' },
    'nested relation': { request: () => ({ path: '/v1/notes/1' }), outcome: 'null' },
    'argument or filter': {
      request: ({ folder }) => ({ path: `/v1/notes?folderId=${folder}` }),
      outcome: 'absent',
    },
    order: { request: () => ({ path: '/v1/notes?sort=-title' }), outcome: 'absent' },
    'input member': {
      request: ({ folder }) => ({
        path: '/v1/notes/1',
        method: 'PATCH',
        body: { folderId: Number(folder) },
      }),
      outcome: '400',
    },
    mutation: REST_UPDATE,
    ...onEveryWay(REST_LIST),
    'replay of what was allowed': REST_UPDATE,
  },
};
