import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { codedError } from '@store-gateway/ops/errors';
import type { GraphQLError } from 'graphql';
import { pathOf, redactKeys, type RequestContext } from '@store-gateway/ops';
import {
  errorBody,
  type errorWriter,
  graphqlErrorBody,
  sendError,
} from './message/error-writer.ts';
import { JSON_TYPE } from './message/send.ts';

/** RFC 9110, 4.1, recommends supporting at least 8000 octets. */
const MAX_URL_LENGTH = 8000;

/** Maximum size of the URL and the headers together. */
export const MAX_HEAD_BYTES = 16_384;

/** Maximum number of headers: more than a client and the proxies in front of this server send together. */
const MAX_HEADERS = 100;

const URL_TOO_LONG = codedError(
  'URI_TOO_LONG',
  `The URL is longer than ${MAX_URL_LENGTH} characters`,
);
export const HEADERS_TOO_LARGE = codedError(
  'HEADERS_TOO_LARGE',
  `There are more than ${MAX_HEADERS} headers, or the URL and the headers together are larger than ${MAX_HEAD_BYTES} bytes`,
);
export const MALFORMED = codedError('BAD_USER_INPUT', 'The request is not well-formed HTTP/1.1');
const NO_HOST = codedError('BAD_USER_INPUT', 'The request must have one valid Host header');

/**
 * Matches a Host header (RFC 9112, 3.2): a host, which may be empty, and an optional port. Several hosts, joined with a comma,
 * don't match.
 */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~%!$&'()*+;=-]*)(?::\d*)?$/i;

/** Whether a request has a body, even an empty one (RFC 9112, 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return 'content-length' in headers || 'transfer-encoding' in headers;
}

/**
 * Whether the server supports a request's HTTP version and transfer coding. Node accepts versions that it doesn't implement, and
 * any transfer codings before a final `chunked` (RFC 9112, 6.1).
 */
export function isUnderstood({ httpVersionMajor, headers }: IncomingMessage): boolean {
  const { 'transfer-encoding': coding = 'chunked' } = headers;
  return httpVersionMajor === 1 && coding.toLowerCase() === 'chunked';
}

/** Rejects requests whose head exceeds the limits. Node has already rejected or truncated much larger heads. */
export function limitHeads(listener: RequestListener, reject: Reject): RequestListener {
  return (request, response) => {
    const { url = '', rawHeaders, headers, httpVersion } = request;
    if (url.length > MAX_URL_LENGTH) {
      reject(request, response, URL_TOO_LONG);
    } else if (rawHeaders.length > 2 * MAX_HEADERS) {
      reject(request, response, HEADERS_TOO_LARGE);
    } else if (!isUnderstood(request)) {
      reject(request, response, MALFORMED);
    } else if (headers.host === undefined ? httpVersion === '1.1' : !HOST.test(headers.host)) {
      reject(request, response, NO_HOST);
    } else {
      listener(request, response);
    }
  };
}

/**
 * Rejects a request without reading it, in the error format of the API that it called. The error isn't logged as a failure of the
 * service.
 */
export type Reject = (
  request: IncomingMessage,
  response: ServerResponse,
  error: GraphQLError,
) => void;

/** Returns which API serves a path. */
export type SurfaceOf = (path: string) => 'rest' | 'graphql' | 'other';

export function createReject(surfaceOf: SurfaceOf): Reject {
  const shape = shapeBy(surfaceOf);
  return (request, response, error) => {
    sendError(error, request, response, shape);
  };
}

/** Returns the error format of the API that a request called. */
export function shapeBy(surfaceOf: SurfaceOf): Parameters<typeof errorWriter>[0] {
  return {
    type: () => JSON_TYPE,
    body: (error, { url = '', originalUrl = url }) =>
      surfaceOf(pathOf(originalUrl)) === 'graphql' ? graphqlErrorBody(error) : errorBody(error),
  };
}

/** Matches a client's request id, which must be safe in a header, a log line and a search. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/**
 * Matches a traceparent header (https://www.w3.org/TR/trace-context/#traceparent-header). Version ff is invalid, and only
 * versions after 00 may have more parts.
 */
const TRACEPARENT =
  /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-.*)?$/;

/** Creates a request's context when its turn comes. */
export function contextOf(response: ServerResponse, waitedMs: number): RequestContext {
  const { req: request } = response;
  return {
    // A parse error in the request's body may have been answered while the request waited.
    id: String(response.getHeader('X-Request-Id') ?? requestIdOf(request)),
    // Logged even if this service doesn't trace, because the client may.
    traceId: traceIdIn(request.headers['traceparent']),
    waitedMs: waitedMs || undefined,
  };
}

/** Returns the client's own X-Request-Id if it is well-formed and contains no key, otherwise a new id. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) && redactKeys(given) === given
    ? given
    : randomUUID();
}

/** Returns the trace id in a request's `traceparent`; undefined if the header is missing or invalid. */
export function traceIdIn(traceparent: unknown): string | undefined {
  return typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
}
