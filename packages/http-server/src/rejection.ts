import type { IncomingMessage, ServerResponse } from 'node:http';
import { codedError, retryHeaders, type ErrorCode } from '@gateway/errors/coded-error';
import { pathOf } from '@gateway/telemetry/request-path';
import { errorBody, graphqlErrorBody } from './http/error-body.ts';
import { errorWriter, type WriteError } from './http/error-writer.ts';
import { JSON_TYPE } from './http/json-type.ts';
import { send } from './http/send.ts';

/** A response to requests that are rejected unread: written once, and sent often. */
export interface Rejection {
  readonly status: number;
  /** The error as REST writes it, and as GraphQL does. */
  readonly body: string;
  readonly graphqlBody: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a rejection in the shape of the surface that was asked for. */
export type Reject = (
  request: IncomingMessage,
  response: ServerResponse,
  rejection: Rejection,
) => void;

/** The surface that answers at a path. */
export type SurfaceOf = (path: string) => 'rest' | 'graphql' | 'other';

/** @param headers beside those of all rejections */
export function rejectionOf(
  code: ErrorCode,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Rejection {
  const error = codedError(code, text);
  return {
    status: error.extensions.status ?? 500,
    body: JSON.stringify(errorBody(error)),
    graphqlBody: JSON.stringify(graphqlErrorBody(error)),
    headers: {
      'X-Content-Type-Options': 'nosniff',
      // As on all that has to do with a key. A cache may keep some otherwise, such as 414 (RFC 9110, 15.1).
      'Cache-Control': 'private, no-cache',
      ...retryHeaders(code),
      ...headers,
    },
  };
}

declare module 'node:http' {
  interface IncomingMessage {
    /** Set by Express, which shortens `url` on its way through routers. */
    originalUrl?: string;
  }
}

export function createReject(surfaceOf: SurfaceOf): Reject {
  return ({ url = '', originalUrl = url }, response, { status, body, graphqlBody, headers }) => {
    response.statusCode = status;
    for (const [name, value] of Object.entries(headers)) {
      response.setHeader(name, value);
    }
    send(response, JSON_TYPE, surfaceOf(pathOf(originalUrl)) === 'graphql' ? graphqlBody : body);
  };
}

const jsonType = () => JSON_TYPE;

/** Writes what was thrown in the shape of the surface that was asked for. */
export function createWriteError(surfaceOf: SurfaceOf): WriteError {
  const write = errorWriter({ type: jsonType, body: errorBody });
  const writeGraphQL = errorWriter({ type: jsonType, body: graphqlErrorBody });
  return (thrown, request, response, next) => {
    const isGraphQL = surfaceOf(pathOf(request.url ?? '')) === 'graphql';
    (isGraphQL ? writeGraphQL : write)(thrown, request, response, next);
  };
}
