import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';

/** The parameters of a query, all of them: Node ignores those behind the 1000th, but the length of a URL is bounded. */
export function parseQuery(query: string): Record<string, unknown> {
  return parse(query, undefined, undefined, { maxKeys: 0 });
}

/** The parameters of a request's query. */
export function queryOf({ url = '' }: IncomingMessage): Record<string, unknown> {
  const start = url.indexOf('?');
  return parseQuery(start === -1 ? '' : url.slice(start + 1));
}
