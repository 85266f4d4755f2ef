/** The ways that data can go out, or a change in: the rows of the table in SECURITY.md. */
export const WAYS = [
  'list',
  'get',
  'connection',
  'nested relation',
  'argument or filter',
  'order',
  'input member',
  'mutation',
  'several aliases',
  'trusted document',
  'GET with a query',
  'coalesced with an allowed one',
  'compiled, after an allowed one',
  'replay of what was allowed',
] as const;

export type Way = (typeof WAYS)[number];

/** What becomes of who lacks the scope: nothing is executed, or the field is an error in its place. */
export type Outcome = '403' | 'null';

export interface GraphQLProbe {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly outcome: Outcome;
}

export interface RestProbe {
  readonly path: string;
  readonly method?: 'POST' | 'PATCH' | 'DELETE';
  readonly body?: Readonly<Record<string, unknown>>;
  readonly outcome?: '403';
}

/** A column of the table: a rule of who may do what. */
export interface Column {
  readonly name: string;
  readonly graphql: Partial<Record<Way, { readonly outcome: string }>>;
  /** By default 403. */
  readonly rest: Partial<Record<Way, { readonly outcome?: string }>>;
}

/** A rule by a scope, and an attempt to go round it on each way. */
export interface Rule extends Column {
  /** What a caller lacks. */
  readonly scope: string;
  readonly graphql: Partial<Record<Way, GraphQLProbe>>;
  readonly rest: Partial<Record<Way, RestProbe>>;
}

/** The same attempt on the ways that any operation can go. */
export function onEveryWay<Probe>(probe: Probe) {
  return {
    'coalesced with an allowed one': probe,
    'compiled, after an allowed one': probe,
  } as const;
}

/** And those that only GraphQL has. */
export function onEveryWayOfGraphQL(probe: GraphQLProbe) {
  return {
    ...onEveryWay(probe),
    'trusted document': probe,
    'GET with a query': probe,
  } as const;
}
