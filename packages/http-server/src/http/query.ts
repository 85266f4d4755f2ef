import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { queryOf } from '@gateway/telemetry/request-path';

/** The parameters of a query, all of them: Node ignores those behind the 1000th, but the length of a URL is bounded. */
export function parseQuery(query: string): Record<string, unknown> {
  return parse(query, undefined, undefined, { maxKeys: 0 });
}

/** The parameters of a request's query. */
export function queryParametersOf({ url = '' }: IncomingMessage): Record<string, unknown> {
  return parseQuery(queryOf(url).slice(1));
}
