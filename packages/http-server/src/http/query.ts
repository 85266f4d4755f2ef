import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { queryOf } from '@store-gateway/telemetry/request-path';

/** All parameters of a request's query: Node ignores those behind the 1000th, but the length of a URL is bounded. */
export function queryParametersOf({ url = '' }: IncomingMessage): Record<string, unknown> {
  return parse(queryOf(url).slice(1), undefined, undefined, { maxKeys: 0 });
}
