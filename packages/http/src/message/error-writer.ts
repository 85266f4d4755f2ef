import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLError } from 'graphql';
import { errorCode, retryHeaders, scopeChallenge, publicError } from '@store-gateway/ops/errors';
import { limitHeaders } from '../limits/rate-limits.ts';
import { send } from './send.ts';

/** A request that Express may have handled: its routers shorten `url`, and it keeps the original in `originalUrl`. */
type RoutedRequest = IncomingMessage & { readonly originalUrl?: string };

/** How an API writes an error: its media type and the JSON of its body. */
interface ErrorShape {
  /** The media type, which may depend on the request's Accept. */
  readonly type: (request: IncomingMessage) => string;
  /** The body, to be sent as JSON. */
  readonly body: (error: GraphQLError, request: RoutedRequest) => object;
}

/** Writes a thrown error, or passes it on if it is too late for a response. Express accepts it as an error handler. */
export type WriteError = (
  thrown: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  next: (thrown: unknown) => void,
) => void;

/** Returns a writer for thrown errors, with the status and headers of their kind, in an API's own format. */
export function errorWriter(shape: ErrorShape): WriteError {
  return function writeError(thrown, request, response, next) {
    if (response.writableEnded) {
      // The request has been answered already, for example because its body did not come in time.
      return;
    }
    const error = publicError(thrown);
    if (response.headersSent) {
      // Too late for an error response: the connection is closed, so that the client notices, and the error has been logged.
      next(thrown);
      return;
    }
    sendError(error, request, response, shape);
  };
}

/** Sends an error that the caller may see. */
export function sendError(
  error: GraphQLError,
  request: IncomingMessage,
  response: ServerResponse,
  { type, body }: ErrorShape,
): void {
  response.statusCode = error.extensions.status ?? 500;
  for (const [name, value] of Object.entries(headersOf(error, request))) {
    response.setHeader(name, value);
  }
  if (!response.hasHeader('Cache-Control')) {
    // Otherwise a cache may store 404 and 405 (RFC 9110, 15.1). Where a key is required, the header is set already.
    response.setHeader('Cache-Control', 'private, no-cache');
  }
  send(response, type(request), JSON.stringify(body(error, request)));
}

/** An error as REST writes it: its code, message and status. */
export function errorBody({ message, extensions: { code, status } }: GraphQLError): object {
  return { code, message, status };
}

/** An error as GraphQL writes it if no operation was executed. */
export function graphqlErrorBody({ message, extensions }: GraphQLError): object {
  const { code, status, scopes } = extensions;
  return { errors: [{ message, extensions: { code, status, scopes } }] };
}

/** The headers that HTTP requires for some errors, whatever the format of their body. */
function headersOf(error: GraphQLError, request: IncomingMessage): Record<string, string> {
  const code = errorCode(error);
  switch (code) {
    case 'UNAUTHENTICATED':
      return { 'WWW-Authenticate': bearerChallenge(request.headers.authorization) };
    case 'FORBIDDEN':
      return scopeChallenge(error);
    case 'TOO_MANY_REQUESTS':
      return limitHeaders(error);
    default:
      return retryHeaders(code);
  }
}

/** The WWW-Authenticate header of a 401, which names an error only if there was a token (RFC 6750, 3.1). */
function bearerChallenge(authorization = ''): string {
  return /^bearer +[^ ]/i.test(authorization) ? 'Bearer error="invalid_token"' : 'Bearer';
}
