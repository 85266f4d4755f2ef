import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { codedError } from '@store-gateway/ops/errors';
import { queryOf, pathOf } from '@store-gateway/ops';
import type { RequestHandler } from 'express';

/** The message for a query string that isn't UTF-8. */
export const NO_UTF8 = 'The query string must be percent-encoded UTF-8';

const ENCODED = /(?:%[\da-f]{2})+/gi;

/**
 * Checks that the percent-encoded bytes of a target's query string are UTF-8, because decoders would silently replace invalid
 * bytes.
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

/**
 * Parses all parameters of a request's query. Node's default limit of 1000 parameters isn't needed, because the length of a URL
 * is limited.
 */
export function queryParametersOf({ url = '' }: IncomingMessage): Record<string, unknown> {
  return parse(queryOf(url).slice(1), undefined, undefined, { maxKeys: 0 });
}

/** The base that a reference is resolved against. */
interface ReferenceBase {
  /** The path of the request whose response contains the reference. */
  readonly from: string;
  /** The service's public URL without a trailing slash, if it is configured. */
  readonly publicUrl?: string | undefined;
}

/**
 * Returns a reference to a path of the service (RFC 3986, 4.1): below the public URL, or relative to the request, so that it
 * works under any prefix and host at which a proxy has mounted the service.
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
 * Redirects an address with trailing slashes to the address without them, because relative references would resolve differently
 * at the two. Mount it where Express serves both.
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
