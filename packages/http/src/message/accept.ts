import type { IncomingMessage } from 'node:http';
import accepts from 'accepts';
import type { RequestHandler } from 'express';
import type { GraphQLError } from 'graphql';
import { codedError } from '@store-gateway/ops/errors';
import { varyBy } from './vary.ts';

/**
 * The media type, of those offered, that a client likes best; the first one if it doesn't mind.
 *
 * @throws NOT_ACCEPTABLE if it takes none of them
 */
export function acceptedType(request: IncomingMessage, offered: readonly string[]): string {
  const accepted = preferredType(request, offered);
  if (accepted === undefined) {
    throw notAcceptable(offered);
  }
  return accepted;
}

/** The same, or undefined if it takes none of them. */
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

/**
 * Lets clients that prefer a page to the media types of `data`, such as browsers, through to the route's next handler. All
 * others continue with the next route.
 */
export function forBrowsers(data: readonly string[]): RequestHandler {
  return (request, response, next) => {
    varyBy(response, 'Accept');
    next(request.accepts([...data, 'text/html']) === 'text/html' ? undefined : 'route');
  };
}

/** The error NOT_ACCEPTABLE, which names the media types that there are. */
export function notAcceptable(offered: readonly string[]): GraphQLError {
  return codedError('NOT_ACCEPTABLE', `This address serves ${offered.join(' or ')}`);
}
