import type { Documents } from '../peers/documents.ts';
import type { Call } from './calls.ts';

export type Surface = 'rest' | 'graphql';

export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** JSON in one line; empty for none. */
  readonly body: string;
}

/** A call as a request to the contract's routes. */
export function restRequest(call: Call): Request {
  switch (call.does) {
    case 'ids':
      return { method: 'GET', path: `/v1/pets?id=${call.ids.join(',')}`, body: '' };
    case 'page':
      return { method: 'GET', path: `/v1/pets?after=${call.after}`, body: '' };
    case 'get':
      return { method: 'GET', path: `/v1/pets/${call.id}`, body: '' };
    case 'create': {
      const { name, categoryId, status } = call;
      const body = JSON.stringify({ name, categoryId, status });
      return { method: 'POST', path: '/v1/pets', body };
    }
    case 'change': {
      const { id, name, status } = call;
      return { method: 'PATCH', path: `/v1/pets/${id}`, body: JSON.stringify({ name, status }) };
    }
    case 'remove':
      return { method: 'DELETE', path: `/v1/pets/${call.id}`, body: '' };
    default: {
      const after = call.after === undefined ? '' : `&after=${call.after}`;
      const path = `/v1/pets?status=${call.status}&limit=${call.limit}${after}`;
      return { method: 'GET', path, body: '' };
    }
  }
}

/**
 * Returns a call as a GraphQL request: the document's text and its variables.
 *
 * @throws Error for a call that only REST is measured with
 */
export function graphqlRequest(call: Call, documents: Documents): Request {
  if (call.does === 'page') {
    throw new Error(`GraphQL is not measured with ${call.does}`);
  }
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

function variablesOf(call: Exclude<Call, { does: 'page' }>): Record<string, unknown> {
  switch (call.does) {
    case 'ids':
      return { ids: call.ids.map(String) };
    case 'get':
    case 'remove':
      return { id: String(call.id) };
    case 'create': {
      const { name, categoryId, status } = call;
      return { input: { name, categoryId: String(categoryId), status } };
    }
    case 'change': {
      const { id, name, status } = call;
      return { id: String(id), input: { name, status } };
    }
    default: {
      const { status, limit, after } = call;
      return { status, limit, ...(after === undefined ? {} : { after: String(after) }) };
    }
  }
}
