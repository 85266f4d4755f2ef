import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { JSON_TYPE } from './http/json-type.ts';
import { log } from '@gateway/log/log';
import { recorder } from '@gateway/telemetry/recorder';
import { closeLingering, isLingering } from './lingering-close.ts';
import { refusalOf, sendRefusal, type Refusal } from './rejection.ts';
import { HEADERS_TOO_LARGE } from './request-head.ts';
import { requestIdOf } from './request-log.ts';
import { isAnswered } from './body-draining.ts';

const MALFORMED = refusalOf('BAD_USER_INPUT', 'The request is not well-formed HTTP/1.1');
const TOO_SLOW = refusalOf('REQUEST_TIMEOUT', 'The request took too long to arrive');
const NO_PROXY = refusalOf('METHOD_NOT_ALLOWED', 'This service is no proxy', {
  Allow: 'GET, HEAD, POST',
});

/** By Node's code for it. */
const REFUSALS = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', TOO_SLOW],
  ['HPE_HEADER_OVERFLOW', HEADERS_TOO_LARGE],
  [
    'HPE_CHUNK_EXTENSIONS_OVERFLOW',
    refusalOf('PAYLOAD_TOO_LARGE', "The extensions of the body's chunks are too large"),
  ],
]);

/**
 * Answers what Node can't make a request of, or not in time, as any other error; Node's own answers have
 * no body. That is the last answer on its connection.
 *
 * @param underWay responses that are not finished, in the order of their requests
 */
export function answerMalformedRequests(
  server: Server,
  underWay: ReadonlySet<ServerResponse>,
): void {
  // The parser repeats its error with each packet that follows.
  const refused = new WeakSet<Duplex>();
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    if (refused.has(socket)) {
      return;
    }
    refused.add(socket);
    const last = lastOn(socket, underWay);
    if (last?.req.complete === true) {
      // It has its own answer, which is not this one.
      last.once('close', () => {
        refuse(socket, code);
      });
    } else if (last === undefined || isGivenUp(socket, code)) {
      refuse(socket, code);
    } else {
      refuseRest(last, refusalFor(code));
    }
  });
  server.on('connect', ({ method, socket: connection }, socket) => {
    // Node has let go of it: nobody else listens, nor keeps the time.
    socket.on('error', () => undefined);
    socket.resume();
    const refuseConnect = (): void => {
      // It lingers if that answer was the last of its connection.
      if (!isLingering(socket)) {
        end(socket, NO_PROXY, { method });
      }
    };
    const last = lastOn(connection, underWay);
    if (last === undefined) {
      refuseConnect();
    } else {
      last.once('close', refuseConnect);
    }
  });
}

/** The response to the newest request of a connection, if it is under way. */
function lastOn(socket: Duplex, underWay: ReadonlySet<ServerResponse>): ServerResponse | undefined {
  let last: ServerResponse | undefined;
  for (const response of underWay) {
    if (response.req.socket === socket) {
      last = response;
    }
  }
  return last;
}

/** Refuses a request of which there is a response already, because the fault is in its body. */
function refuseRest(response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent) {
    response.once('close', () => {
      closeLingering(response.req.socket);
    });
  } else {
    response.setHeader('Connection', 'close');
    if (!response.hasHeader('X-Request-Id')) {
      // It waits for its turn yet.
      response.setHeader('X-Request-Id', requestIdOf(response.req));
    }
    sendRefusal(response.req, response, refusal);
  }
}

/** Refuses what never became a request. */
function refuse(socket: Duplex, code: string): void {
  if (isLingering(socket)) {
    return;
  }
  // Browsers and proxies connect in advance, and take no answer to what they haven't asked.
  const hasAsked = !(socket instanceof Socket) || socket.bytesRead > 0;
  if (isGivenUp(socket, code) || !hasAsked) {
    socket.destroy();
  } else if (isAnswered(socket)) {
    closeLingering(socket);
  } else {
    end(socket, refusalFor(code), { fault: code });
  }
}

/** Whether the client has gone away in the middle of its request. */
function isGivenUp(socket: Duplex, code: string): boolean {
  return !socket.writable || code === 'HPE_INVALID_EOF_STATE';
}

function refusalFor(code: string): Refusal {
  return REFUSALS.get(code) ?? MALFORMED;
}

/** Writes an answer by hand: there is no response for what is no request. And no line in the log otherwise. */
function end(socket: Duplex, { status, body, headers }: Refusal, known: object): void {
  const requestId = randomUUID();
  const fields = {
    Date: new Date().toUTCString(),
    Connection: 'close',
    'Content-Type': JSON_TYPE,
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': requestId,
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  closeLingering(
    socket,
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`,
  );
  recorder.rejectedBeforeParsing(status);
  log.info({ requestId, status, ...known }, 'request');
}
