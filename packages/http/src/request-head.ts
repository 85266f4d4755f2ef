import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { codedError } from '@store-gateway/ops/errors';
import type { GraphQLError } from 'graphql';
import { pathOf } from '@store-gateway/ops';
import { errorBody, graphqlErrorBody, sendError, type ErrorShape } from './message/error-writer.ts';
import { JSON_TYPE } from './message/send.ts';

/** RFC 9110, 4.1, wants at least 8000 octets to be taken. */
const MAX_URL_LENGTH = 8000;

/** Of the URL and the headers together. */
export const MAX_HEAD_BYTES = 16_384;

/** More than clients and the proxies before us add up to. */
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

/** RFC 9112, 3.2: a host, or nothing, and a port. Several, joined with a comma, don't match. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~%!$&'()*+;=-]*)(?::\d*)?$/i;

/** Whether a request has a body, even an empty one (RFC 9112, 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return 'content-length' in headers || 'transfer-encoding' in headers;
}

/** Node takes versions that it doesn't speak, and any transfer coding before the last (RFC 9112, 6.1). */
export function isUnderstood({ httpVersionMajor, headers }: IncomingMessage): boolean {
  const { 'transfer-encoding': coding = 'chunked' } = headers;
  return httpVersionMajor === 1 && coding.toLowerCase() === 'chunked';
}

/** Rejects requests whose head is beyond the bounds; Node has cut off what is far beyond them. */
export function boundHeads(listener: RequestListener, reject: Reject): RequestListener {
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

/** Rejects a request unread, which is no error of ours to log, in the shape of the surface that was asked for. */
export type Reject = (
  request: IncomingMessage,
  response: ServerResponse,
  error: GraphQLError,
) => void;

/** The surface that answers at a path. */
export type SurfaceOf = (path: string) => 'rest' | 'graphql' | 'other';

export function createReject(surfaceOf: SurfaceOf): Reject {
  const shape = shapeBy(surfaceOf);
  return (request, response, error) => {
    sendError(error, request, response, shape);
  };
}

/** The shape of the surface that was asked for. */
export function shapeBy(surfaceOf: SurfaceOf): ErrorShape {
  return {
    type: () => JSON_TYPE,
    body: (error, { url = '', originalUrl = url }) =>
      surfaceOf(pathOf(originalUrl)) === 'graphql' ? graphqlErrorBody(error) : errorBody(error),
  };
}
