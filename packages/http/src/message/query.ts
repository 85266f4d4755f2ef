import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { codedError } from '@store-gateway/ops/errors';
import { queryOf, pathOf } from '@store-gateway/ops';
import type { RequestHandler } from 'express';

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

/** Where a reference is read. */
interface ReferenceBase {
  /** The path of the request that the response with the reference is for. */
  readonly from: string;
  /** Where clients reach the service, without a slash at the end, if that is configured. */
  readonly publicUrl?: string | undefined;
}

/**
 * A reference to a path of the service (RFC 3986, 4.1): below the public URL, or relative to the request, so that it holds
 * under whatever prefix and host a proxy has mounted the service.
 *
 * @param target a path, perhaps with a query and a fragment
 */
export function referenceTo(target: string, { from, publicUrl }: ReferenceBase): string {
  return publicUrl === undefined ? relativeReference(from, target) : publicUrl + target;
}

function relativeReference(from: string, target: string): string {
  const folders = from.split('/').slice(0, -1);
  const segments = target.split('/');
  const differing = segments.findIndex(
    (segment, index) => index === segments.length - 1 || segment !== folders[index],
  );
  const path = '../'.repeat(folders.length - differing) + segments.slice(differing).join('/');
  return path || './';
}

/**
 * Redirects an address with slashes at its end to the one without, because references that are relative to the one would
 * lead elsewhere from the other. To be mounted where Express serves both.
 */
export const redirectTrailingSlash: RequestHandler = ({ originalUrl }, response, next) => {
  const path = pathOf(originalUrl);
  if (path.endsWith('/') && path !== '/') {
    const address = path.replace(/\/+$/, '') || '/';
    response
      .status(308)
      .location(referenceTo(address, { from: path }) + queryOf(originalUrl))
      .end();
  } else {
    next();
  }
};
