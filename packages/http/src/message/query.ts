import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { codedError } from '@store-gateway/ops/errors';
import { queryOf } from '@store-gateway/ops';

/** The message for a query string that isn't UTF-8. */
export const NO_UTF8 = 'The query string must be percent-encoded UTF-8';

const ENCODED = /(?:%[\da-f]{2})+/gi;

/**
 * Expects the percent-encoded bytes of a target's query string to be UTF-8: decoders replace any others.
 *
 * @throws BAD_USER_INPUT
 */
export function expectUtf8Query(target = ''): void {
  for (const [bytes] of queryOf(target).matchAll(ENCODED)) {
    try {
      decodeURIComponent(bytes);
    } catch {
      throw codedError('BAD_USER_INPUT', NO_UTF8);
    }
  }
}

/** All parameters of a request's query: Node ignores those behind the 1000th, but the length of a URL is bounded. */
export function queryParametersOf({ url = '' }: IncomingMessage): Record<string, unknown> {
  return parse(queryOf(url).slice(1), undefined, undefined, { maxKeys: 0 });
}
