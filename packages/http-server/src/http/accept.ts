import type { Request, RequestHandler } from 'express';
import type { GraphQLError } from 'graphql';
import { codedError } from '@gateway/errors/coded-error';

/**
 * The media type, of those offered, that a client likes best; the first one if it doesn't mind.
 *
 * @throws NOT_ACCEPTABLE if it takes none of them
 */
export function acceptedType(request: Request, offered: readonly string[]): string {
  const [first] = offered;
  const { accept = '*/*' } = request.headers;
  // What most clients send that aren't browsers.
  if (first !== undefined && accept === '*/*') {
    return first;
  }
  const accepted = request.accepts([...offered]);
  if (accepted === false) {
    throw notAcceptable(offered);
  }
  return accepted;
}

/**
 * Lets whoever would rather see a page than one of the media types of `data` through to the route's
 * next handler; that is a browser. Clients, and those who don't mind, go on to the next route.
 */
export function forBrowsers(data: readonly string[]): RequestHandler {
  return (request, response, next) => {
    response.vary('Accept');
    next(request.accepts([...data, 'text/html']) === 'text/html' ? undefined : 'route');
  };
}

export function notAcceptable(offered: readonly string[]): GraphQLError {
  return codedError('NOT_ACCEPTABLE', `This address answers with ${offered.join(' or ')}`);
}
