import type { ServerResponse, IncomingMessage } from 'node:http';
import accepts from 'accepts';
import type { RequestHandler } from 'express';
import type { GraphQLError } from 'graphql';
import { codedError } from '@store-gateway/ops/errors';

/** Adds a request header to `Vary`, which tells caches that the response depends on it. */
export function varyBy(response: ServerResponse, name: string): void {
  const set = response.getHeader('Vary');
  if (set === undefined) {
    response.setHeader('Vary', name);
  } else if (!String(set).split(', ').includes(name)) {
    response.setHeader('Vary', `${String(set)}, ${name}`);
  }
}

/**
 * Returns the offered media type that the client prefers, or the first one if it has no preference.
 *
 * @throws NOT_ACCEPTABLE if the client accepts none of them
 */
export function acceptedType(request: IncomingMessage, offered: readonly string[]): string {
  const accepted = preferredType(request, offered);
  if (accepted === undefined) {
    throw notAcceptable(offered);
  }
  return accepted;
}

/** Like `acceptedType`, but returns undefined instead of throwing. */
export function preferredType(
  request: IncomingMessage,
  offered: readonly string[],
): string | undefined {
  const { accept = '*/*' } = request.headers;
  // Sent by most clients that aren't browsers.
  if (accept === '*/*') {
    return offered[0];
  }
  const preferred = accepts(request).types([...offered]);
  return typeof preferred === 'string' ? preferred : undefined;
}

/** Whether a client, such as a browser, prefers a page to the media types of `data`. */
export function prefersPage(request: IncomingMessage, data: readonly string[]): boolean {
  return accepts(request).types([...data, 'text/html']) === 'text/html';
}

/** Passes requests from clients that prefer a page to the route's next handler, and all others to the next route. */
export function forBrowsers(data: readonly string[]): RequestHandler {
  return (request, response, next) => {
    varyBy(response, 'Accept');
    next(prefersPage(request, data) ? undefined : 'route');
  };
}

/** Creates the error NOT_ACCEPTABLE, with the available media types in its message. */
export function notAcceptable(offered: readonly string[]): GraphQLError {
  return codedError('NOT_ACCEPTABLE', `This address serves ${offered.join(' or ')}`);
}

/** The preference that makes a request fail instead of being partly ignored (RFC 7240, 4.4). */
export const STRICT = 'handling=strict';

/**
 * Whether a request should fail instead of being partly ignored: `Prefer: handling=strict` (RFC 7240, 4.4). If there are several
 * values, the first one counts (RFC 7240, 2). Parameters after a semicolon have no meaning here.
 */
export function prefersStrict({ headers }: IncomingMessage): boolean {
  const header = headers['prefer']?.toString();
  if (header === undefined) {
    return false;
  }
  // Node joins repeated headers with commas. No regular expression is used, because matching a long header could take minutes.
  const [, value = ''] =
    header
      .split(',')
      .map((preference) => (preference.split(';')[0] ?? '').split('='))
      .find(([name = '']) => name.trim().toLowerCase() === 'handling') ?? [];
  return ['strict', '"strict"'].includes(value.trim().toLowerCase());
}

/** Announces that `handling=strict` was applied (RFC 7240, 3). */
export function announceStrict(response: ServerResponse): void {
  response.setHeader('Preference-Applied', STRICT);
}
