import type { IncomingMessage, ServerResponse } from 'node:http';
import { codedError } from '@store-gateway/ops/errors';

/** Number of bytes to write in one turn of the event loop. */
const CHUNK_BYTES = 262_144;

/** The media type of responses, including errors, unless the client requests a different one. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** A response body. Text is encoded as UTF-8. */
type Body = string | Uint8Array;

/**
 * Sends a body with the current status. Express's own `send` would also determine the body's type, and check whether the client
 * already has it.
 */
export function send(response: ServerResponse, mediaType: string, body: Body): void {
  const length = Buffer.byteLength(body);
  response.setHeader('Content-Type', mediaType);
  response.setHeader('Content-Length', length);
  endWith(response, body, length);
}

/** Sends the current headers without a body. */
export function sendHeaders(response: ServerResponse): void {
  endWith(response, '', 0);
}

/**
 * Ends a response whose headers are set.
 *
 * @param length the body's length in bytes
 */
function endWith(response: ServerResponse, body: Body, length: number): void {
  // Node omits the body from the response to HEAD.
  if (typeof body === 'string') {
    // Sent together with the headers. ASCII text need not be encoded.
    response.end(body, length === body.length ? 'latin1' : 'utf8');
  } else {
    sendInChunks(response, body);
  }
}

/**
 * Sends a large body no faster than the client reads it, and one chunk per turn of the event loop. Copying it into the kernel all
 * at once would take a millisecond, and many clients may request it at the same time.
 */
function sendInChunks(response: ServerResponse, body: Uint8Array): void {
  if (response.destroyed) {
    return;
  }
  const chunk = body.subarray(0, CHUNK_BYTES);
  const rest = body.subarray(CHUNK_BYTES);
  const sendRest = () => setImmediate(sendInChunks, response, rest);
  if (rest.length === 0) {
    response.end(chunk);
  } else if (response.write(chunk)) {
    sendRest();
  } else {
    response.once('drain', sendRest);
  }
}

/** The methods that an endpoint may have. GET includes HEAD. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The methods that change nothing (RFC 9110, 9.2.1). */
export const READ_METHODS: readonly string[] = ['GET', 'HEAD'];

/** Whether a request changes nothing. */
export function isRead({ method = '' }: IncomingMessage): boolean {
  return READ_METHODS.includes(method);
}

/** Returns the methods that an address accepts if it has endpoints for these methods. GET includes HEAD. */
export function withHead(methods: readonly Method[]): string[] {
  return [...new Set(methods)].flatMap((method) => (method === 'GET' ? READ_METHODS : [method]));
}

/**
 * Answers a request with a method that its address doesn't accept: OPTIONS gets 204 (RFC 9110, 9.3.7), any other method an error.
 * Both responses have the Allow header.
 *
 * @param methods the methods that the address accepts besides OPTIONS
 * @throws METHOD_NOT_ALLOWED
 */
export function answerOtherMethod(
  request: IncomingMessage,
  response: ServerResponse,
  methods: readonly string[],
): void {
  const allowed = [...methods, 'OPTIONS'].join(', ');
  response.setHeader('Allow', allowed);
  if (request.method !== 'OPTIONS') {
    throw codedError('METHOD_NOT_ALLOWED', `This address accepts ${allowed}`);
  }
  response.statusCode = 204;
  sendHeaders(response);
}
