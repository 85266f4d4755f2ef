import {
  onEveryWay,
  onEveryWayOfGraphQL,
  type OnWays,
  type Query,
  type RestRequest,
  type Way,
} from '../access/matrix/ways.ts';

/** Left out, an error, null, or a reference to nothing: always as if there were no such row. */
export type Outcome = 'absent' | '404' | 'null' | '400';

/** The ids of what is hidden; a query has them as the variables `$note` and `$folder`. */
export interface HiddenIds {
  readonly note: string;
  readonly folder: string;
}

interface Probe extends Pick<Query, 'query'> {
  readonly outcome: Outcome;
}

interface RestProbe {
  readonly outcome: Outcome;
  readonly request: (ids: HiddenIds) => RestRequest;
}

const probe = (outcome: Outcome, query: string): Probe => ({ outcome, query });
const restProbe = (outcome: Outcome, request: RestProbe['request']): RestProbe => ({
  outcome,
  request,
});
/** @param path to get, with NOTE and FOLDER in place of the ids */
const get = (outcome: Outcome, path: string): RestProbe =>
  restProbe(outcome, ({ note, folder }) => ({
    path: path.replace('NOTE', note).replace('FOLDER', folder),
  }));

const LIST = probe(
  'absent',
  `query ($note: ID!) {
    notes { title } some: notes(ids: [$note]) { title } topics { notes { title } }
  }`,
);
const REST_LIST = get('absent', '/v1/notes?limit=50');
const REST_UPDATE = restProbe('404', ({ note }) => ({
  path: `/v1/notes/${note}`,
  method: 'PATCH',
  body: {},
}));

/** A type's row rule: to a caller, hidden rows are as if they didn't exist. */
export const HIDDEN_ROW: {
  readonly name: string;
  readonly graphql: Readonly<Record<Way, Probe>>;
  readonly rest: OnWays<RestProbe>;
} = {
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
    'input member': restProbe('400', ({ folder }) => ({
      path: '/v1/notes/1',
      method: 'PATCH',
      body: { folderId: Number(folder) },
    })),
    mutation: REST_UPDATE,
    ...onEveryWay(REST_LIST),
    'replay of what was allowed': REST_UPDATE,
  },
};
