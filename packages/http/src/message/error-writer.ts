import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLError } from 'graphql';
import { errorCode, retryHeaders, scopeChallenge, publicError } from '@store-gateway/ops/errors';
import { limitHeaders } from '../limits/rate-limits.ts';
import { send } from './send.ts';

/** A request that may have passed through Express, whose routers shorten `url` and keep the original in `originalUrl`. */
type RoutedRequest = IncomingMessage & { readonly originalUrl?: string };

/** An API's format for errors: its media type and the JSON of its body. */
interface ErrorShape {
  /** The media type, which may depend on the request's Accept header. */
  readonly type: (request: IncomingMessage) => string;
  /** Returns the body, to be sent as JSON. */
  readonly body: (error: GraphQLError, request: RoutedRequest) => object;
}

/**
 * Writes an error response for a thrown value, or passes the value to `next` if the response has already begun. Express accepts
 * this function as an error handler.
 */
export type WriteError = (
  thrown: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  next: (thrown: unknown) => void,
) => void;

/** Returns a function that writes thrown errors in an API's own format, with the status and headers of their kind. */
export function errorWriter(shape: ErrorShape): WriteError {
  return function writeError(thrown, request, response, next) {
    if (response.writableEnded) {
      // The request has been answered already, for example because its body did not arrive in time.
      return;
    }
    const error = publicError(thrown);
    if (response.headersSent) {
      // It is too late for an error response. The error has been logged, and closing the connection informs the client.
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
    // Otherwise, a cache may store 404 and 405 (RFC 9110, 15.1). Where a key is required, the header is already set.
    response.setHeader('Cache-Control', 'private, no-cache');
  }
  send(response, type(request), JSON.stringify(body(error, request)));
}

/** Formats an error as REST does: its code, message and status. */
export function errorBody({ message, extensions: { code, status } }: GraphQLError): object {
  return { code, message, status };
}

/** Formats an error as GraphQL does if no operation was executed. */
export function graphqlErrorBody({ message, extensions }: GraphQLError): object {
  const { code, status, scopes } = extensions;
  return { errors: [{ message, extensions: { code, status, scopes } }] };
}

/** Returns the headers that HTTP requires for some errors, whatever the format of their body. */
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

/** Returns the WWW-Authenticate header for a 401. It names an error only if the request had a token (RFC 6750, 3.1). */
function bearerChallenge(authorization = ''): string {
  return /^bearer +[^ ]/i.test(authorization) ? 'Bearer error="invalid_token"' : 'Bearer';
}
