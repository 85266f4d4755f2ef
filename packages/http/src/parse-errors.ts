import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server } from 'node:http';
import { Socket } from 'node:net';
import type { GraphQLError } from 'graphql';
import { codedError } from '@store-gateway/ops/errors';
import { log, recorder } from '@store-gateway/ops';
import { isDraining, connectionOf, type Connection, closeLingering } from './connection.ts';
import { errorBody } from './message/error-writer.ts';
import { JSON_TYPE } from './message/send.ts';
import { HEADERS_TOO_LARGE, MALFORMED, type Reject, requestIdOf } from './request-head.ts';

const NO_PROXY = codedError('METHOD_NOT_ALLOWED', 'This service is not a proxy');
const METHODS = { Allow: 'GET, HEAD, POST, OPTIONS' };

/** Matches a request line (RFC 9112, 3), whose method is a token. */
const REQUEST_LINE = /[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.\d\r?\n/y;

const UNKNOWN_METHOD = codedError(
  'NOT_IMPLEMENTED',
  'No address of this service supports this method',
);

/** Errors by Node's error code. Any other code means a malformed request. */
const ERRORS = new Map([
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    codedError('REQUEST_TIMEOUT', 'The request took too long to arrive'),
  ],
  ['HPE_HEADER_OVERFLOW', HEADERS_TOO_LARGE],
  [
    'HPE_CHUNK_EXTENSIONS_OVERFLOW',
    codedError('PAYLOAD_TOO_LARGE', 'The chunk extensions of the body are too large'),
  ],
]);

/**
 * Answers requests that Node can't parse, or that don't arrive in time, in the format of all other errors; Node's own responses
 * have no body. The response is the last on its connection, after those in progress.
 */
export function answerParseErrors(server: Server, reject: Reject): void {
  server.on('clientError', (fault: ParseError, socket) => {
    const { code = '' } = fault;
    const connection = connectionOf(socket);
    if (connection === undefined || connection.hasParseError) {
      return;
    }
    connection.hasParseError = true;
    const error = ERRORS.get(code) ?? (hasUnknownMethod(fault) ? UNKNOWN_METHOD : MALFORMED);
    // The client may have disconnected in the middle of a request.
    const isGone = (): boolean => !socket.writable || code === 'HPE_INVALID_EOF_STATE';
    const rejectUnparsed = (): void => {
      // Browsers and proxies open connections in advance, and expect no response before they have sent a request.
      const hasAsked = !(socket instanceof Socket) || socket.bytesRead > 0;
      if (connection.isLingering) {
        return;
      }
      if (isGone() || !hasAsked) {
        socket.destroy();
      } else if (isDraining(connection)) {
        closeLingering(connection);
      } else {
        writeLast(connection, error, { fault: code });
      }
    };
    const { newest } = connection;
    if (newest?.req.complete === true) {
      // The newest request gets its own response.
      newest.prependListener('close', rejectUnparsed);
    } else if (newest === undefined || isGone()) {
      rejectUnparsed();
    } else if (newest.headersSent) {
      // The error is in the body of a request whose response has begun, so it is too late for an error response.
      newest.prependListener('close', () => {
        closeLingering(connection);
      });
    } else {
      newest.setHeader('Connection', 'close');
      if (!newest.hasHeader('X-Request-Id')) {
        // The request is still waiting for its turn.
        newest.setHeader('X-Request-Id', requestIdOf(newest.req));
        newest.setHeader('X-Content-Type-Options', 'nosniff');
      }
      reject(newest.req, newest, error);
    }
  });
  server.on('connect', ({ method }, socket) => {
    // Node has released the socket, so nothing else listens to it or times it out.
    socket.on('error', () => undefined);
    socket.resume();
    const connection = connectionOf(socket);
    const rejectConnect = (): void => {
      // If the previous response was the connection's last, the connection is lingering.
      if (connection?.isLingering === false) {
        writeLast(connection, NO_PROXY, { method }, METHODS);
      }
    };
    const newest = connection?.newest;
    if (newest === undefined) {
      rejectConnect();
    } else {
      newest.prependListener('close', rejectConnect);
    }
  });
}

/** An error from Node's parser, with the bytes that the parser was given, and the number of bytes that it had parsed. */
interface ParseError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** Whether the error is caused by a request line with a method that Node's parser doesn't support (RFC 9110, 15.6.2). */
function hasUnknownMethod({ code, rawPacket, bytesParsed = 0 }: ParseError): boolean {
  if (code !== 'HPE_INVALID_METHOD' || rawPacket === undefined) {
    return false;
  }
  const text = rawPacket.toString('latin1');
  REQUEST_LINE.lastIndex = bytesParsed === 0 ? 0 : text.lastIndexOf('\n', bytesParsed - 1) + 1;
  return REQUEST_LINE.test(text);
}

/** Writes a response and its log line without a response object, because Node creates none for input that it can't parse. */
function writeLast(
  connection: Connection,
  error: GraphQLError,
  known: object,
  headers: object = {},
): void {
  const requestId = randomUUID();
  const { status = 400 } = error.extensions;
  const body = JSON.stringify(errorBody(error));
  const fields = {
    Date: new Date().toUTCString(),
    Connection: 'close',
    'Content-Type': JSON_TYPE,
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'private, no-cache',
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  closeLingering(
    connection,
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`,
  );
  recorder.add('unread_requests_total', 1, { http_response_status_code: status });
  log.info({ requestId, status, ...known }, 'request');
}
