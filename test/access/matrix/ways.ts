import { createHash, randomUUID } from 'node:crypto';

/** The ways to read data or to make a change, which are the rows of the table in SECURITY.md. */
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
export type OnWays<Probe> = Partial<Record<Way, Probe>>;

export interface Query {
  readonly query: string;
  readonly variables?: object;
}

export interface RestRequest {
  readonly path: string;
  readonly method?: 'POST' | 'PATCH' | 'DELETE';
  readonly body?: object;
}

/** A column of the table, with the outcome on each way. */
export interface Column {
  readonly name: string;
  readonly graphql: OnWays<Query & { readonly outcome: string }>;
  readonly rest: OnWays<RestRequest & { readonly outcome: string }>;
}

/** Returns the cells of a column, one for each way and API. */
export function cellsOf({ graphql, rest }: Column) {
  return WAYS.flatMap((way) =>
    [
      { surface: 'GraphQL', way, probe: graphql[way] },
      { surface: 'REST', way, probe: rest[way] },
    ].flatMap(({ probe, ...cell }) =>
      probe === undefined ? [] : [{ ...cell, probe, outcome: probe.outcome }],
    ),
  );
}

/** Uses the same attempt on the ways that apply to any operation. */
export function onEveryWay<Probe>(probe: Probe) {
  return {
    'coalesced with an allowed one': probe,
    'compiled, after an allowed one': probe,
  } as const;
}

/** Like `onEveryWay`, with the additional ways that only GraphQL has. */
export function onEveryWayOfGraphQL<Probe>(probe: Probe) {
  return { ...onEveryWay(probe), 'trusted document': probe, 'GET with a query': probe } as const;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

const keyOn = (way: Way) =>
  way === 'replay of what was allowed' ? { 'Idempotency-Key': randomUUID() } : {};

const hashOf = (document: string) => createHash('sha256').update(document).digest('hex');

interface Writer {
  readonly $executeRawUnsafe: (text: string, ...values: string[]) => PromiseLike<unknown>;
}

interface Init {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Returns the arguments of the request that tries a probe on a way. Stores the probe's trusted document if the way needs one. */
export async function requestOn(
  database: Writer,
  way: Way,
  probe: Query | RestRequest,
): Promise<[path: string, init: Init]> {
  if ('path' in probe) {
    const { path, method, body } = probe;
    const headers = { ...(body && JSON_TYPE), ...keyOn(way) };
    return [
      path,
      { ...(method && { method }), headers, ...(body && { body: JSON.stringify(body) }) },
    ];
  }
  const { query, variables = {} } = probe;
  if (way === 'GET with a query') {
    const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
    return [`/graphql?${search.toString()}`, { headers: {} }];
  }
  const hash = hashOf(query);
  if (way === 'trusted document') {
    const text =
      'INSERT INTO _gateway_trusted_documents (hash, document) VALUES ($1, $2) ON CONFLICT DO NOTHING';
    await database.$executeRawUnsafe(text, hash, query);
  }
  const operation = way === 'trusted document' ? { documentId: `sha256:${hash}` } : { query };
  return [
    '/graphql',
    {
      method: 'POST',
      headers: { ...JSON_TYPE, ...keyOn(way) },
      body: JSON.stringify({ ...operation, variables }),
    },
  ];
}

/** Whether a way requires allowed requests before the attempt. */
export function comesAfterAllowed(way: Way): boolean {
  return way === 'compiled, after an allowed one' || way === 'replay of what was allowed';
}

/** Returns the responses to callers without and with the scope, which are concurrent on the coalescing way. */
export async function answersOn<Answered>(
  way: Way,
  lacking: () => Promise<Answered>,
  having: () => Promise<Answered>,
): Promise<[Answered[], Answered[]]> {
  if (way !== 'coalesced with an allowed one') {
    return [[await lacking()], [await having()]];
  }
  const both = await Promise.all(
    Array.from({ length: 8 }, () => Promise.all([having(), lacking()])),
  );
  return [both.map(([, refused]) => refused), both.map(([allowed]) => allowed)];
}
