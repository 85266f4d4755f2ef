import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLError } from 'graphql';
import { errorCode, retryHeaders, scopeChallenge, publicError } from '@store-gateway/ops/errors';
import { limitHeaders } from '../limits/rate-limits.ts';
import { send } from './send.ts';

/** A request that Express may have: it sets `originalUrl`, as it shortens `url` on its way through routers. */
type RoutedRequest = IncomingMessage & { readonly originalUrl?: string };

/** How a surface writes an error: its media type and the JSON of its body. */
export interface ErrorShape {
  /** The media type, which may depend on the request's Accept. */
  readonly type: (request: IncomingMessage) => string;
  /** What is sent as JSON. */
  readonly body: (error: GraphQLError, request: RoutedRequest) => object;
}

/** Writes what was thrown, or passes it on if it is too late for that. Express takes it as a handler of errors. */
export type WriteError = (
  thrown: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  next: (thrown: unknown) => void,
) => void;

/** Writes whatever was thrown, with the status and headers of its kind, in a surface's own shape. */
export function errorWriter(shape: ErrorShape): WriteError {
  return function writeError(thrown, request, response, next) {
    if (response.writableEnded) {
      // It has been answered otherwise, such as one whose body did not come in time.
      return;
    }
    const error = publicError(thrown);
    if (response.headersSent) {
      // Too late for a response: the connection is closed (routing.ts), so that the client notices; the log has the error.
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
    // A cache may keep 404 and 405 otherwise (RFC 9110, 15.1). Wherever a key is asked for, it is set already.
    response.setHeader('Cache-Control', 'private, no-cache');
  }
  send(response, type(request), JSON.stringify(body(error, request)));
}

/** An error as REST writes it: its code, message and status. */
export function errorBody({ message, extensions: { code, status } }: GraphQLError): object {
  return { code, message, status };
}

/** The same as GraphQL writes it, where no operation was executed. */
export function graphqlErrorBody({ message, extensions }: GraphQLError): object {
  const { code, status, scopes } = extensions;
  return { errors: [{ message, extensions: { code, status, scopes } }] };
}

/** The headers that HTTP wants of some errors, whatever shape their body has. */
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
