import { createHash, randomUUID } from 'node:crypto';
import type { GraphQLProbe, RestProbe, Way } from './rule.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };

const keyOn = (way: Way) =>
  way === 'replay of what was allowed' ? { 'Idempotency-Key': randomUUID() } : {};

const hashOf = (document: string) => createHash('sha256').update(document).digest('hex');

/** The arguments of a request with an operation as the way has it. */
export function requestOn(
  way: Way,
  { query, variables = {} }: Pick<GraphQLProbe, 'query' | 'variables'>,
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

/** The arguments of a request of REST. */
export function restRequestOn(
  way: Way,
  { path, method, body }: RestProbe,
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

/** Stores a document, so that it is trusted. */
export async function trustDocument(database: Writer, document: string): Promise<void> {
  const text =
    'INSERT INTO _gateway_trusted_documents (hash, document) VALUES ($1, $2) ON CONFLICT DO NOTHING';
  await database.$executeRawUnsafe(text, hashOf(document), document);
}
