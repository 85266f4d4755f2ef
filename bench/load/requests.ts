import type { Documents } from '../peers/documents.ts';
import type { Call } from './calls.ts';

export type Surface = 'rest' | 'graphql';

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** JSON in one line; empty for none. */
  readonly body: string;
}

/** A call as a request to the contract's routes. */
export function restRequest(call: Call): Request {
  if (call.does === 'create') {
    const { name, categoryId, status } = call;
    return { method: 'POST', path: '/v1/pets', body: JSON.stringify({ name, categoryId, status }) };
  }
  if (call.does === 'get') {
    return { method: 'GET', path: `/v1/pets/${call.id}`, body: '' };
  }
  const after = call.after === undefined ? '' : `&after=${call.after}`;
  const path = `/v1/pets?status=${call.status}&limit=${call.limit}${after}`;
  return { method: 'GET', path, body: '' };
}

/** A call as a GraphQL request: the document's text and its variables. */
export function graphqlRequest(call: Call, documents: Documents): Request {
  return {
    method: 'POST',
    path: '/graphql',
    body: JSON.stringify({ query: documents[call.does], variables: variablesOf(call) }),
  };
}

/** The lines that replay.lua reads: method, path and body, with tabs between them. */
export function requestLines(requests: readonly Request[]): string {
  return requests.map(({ method, path, body }) => `${method}\t${path}\t${body}\n`).join('');
}

function variablesOf(call: Call): Record<string, unknown> {
  if (call.does === 'create') {
    const { name, categoryId, status } = call;
    return { input: { name, categoryId: String(categoryId), status } };
  }
  if (call.does === 'get') {
    return { id: String(call.id) };
  }
  const { status, limit, after } = call;
  return { status, limit, ...(after === undefined ? {} : { after: String(after) }) };
}
