import { createHash, randomUUID } from 'node:crypto';

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
export type OnWays<Probe> = Partial<Record<Way, Probe>>;

/** A column of the table: what each way leads to. */
export interface Column {
  readonly name: string;
  readonly graphql: OnWays<{ readonly outcome: string }>;
  readonly rest: OnWays<{ readonly outcome: string }>;
}

/** The same attempt on the ways that any operation can go. */
export function onEveryWay<Probe>(probe: Probe) {
  return {
    'coalesced with an allowed one': probe,
    'compiled, after an allowed one': probe,
  } as const;
}

/** Like `onEveryWay`, with the ways that only GraphQL has. */
export function onEveryWayOfGraphQL<Probe>(probe: Probe) {
  return { ...onEveryWay(probe), 'trusted document': probe, 'GET with a query': probe } as const;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

const keyOn = (way: Way) =>
  way === 'replay of what was allowed' ? { 'Idempotency-Key': randomUUID() } : {};

const hashOf = (document: string) => createHash('sha256').update(document).digest('hex');

export interface Query {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** The arguments of a request that sends an operation on a way. */
export function requestOn(
  way: Way,
  { query, variables = {} }: Query,
): [path: string, init: RequestInit] {
  if (way === 'GET with a query') {
    const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
    return [`/graphql?${search.toString()}`, {}];
  }
  const operation =
    way === 'trusted document' ? { documentId: `sha256:${hashOf(query)}` } : { query };
  return [
    '/graphql',
    {
      method: 'POST',
      headers: { ...JSON_TYPE, ...keyOn(way) },
      body: JSON.stringify({ ...operation, variables }),
    },
  ];
}

export interface RestRequest {
  readonly path: string;
  readonly method?: 'POST' | 'PATCH' | 'DELETE';
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The arguments of a REST request on a way. */
export function restRequestOn(
  way: Way,
  { path, method, body }: RestRequest,
): [path: string, init: RequestInit] {
  const headers = { ...(body && JSON_TYPE), ...keyOn(way) };
  return [
    path,
    { ...(method && { method }), headers, ...(body && { body: JSON.stringify(body) }) },
  ];
}

interface Writer {
  readonly $executeRawUnsafe: (text: string, ...values: string[]) => PromiseLike<unknown>;
}

/** Stores a trusted document. */
export async function trustDocument(database: Writer, document: string): Promise<void> {
  const text =
    'INSERT INTO _gateway_trusted_documents (hash, document) VALUES ($1, $2) ON CONFLICT DO NOTHING';
  await database.$executeRawUnsafe(text, hashOf(document), document);
}
