import type { ServerResponse } from 'node:http';

/** Written in one turn of the event loop. */
const CHUNK_BYTES = 262_144;

/** What clients are answered with, errors included, unless they ask for another type. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** What is sent: text is encoded as UTF-8. */
type Body = string | Uint8Array;

/**
 * Sends a body that is written, under the status that is set. Express's own `send` would look at it once more: which
 * type it may be, and whether the client has it already.
 */
export function send(response: ServerResponse, mediaType: string, body: Body): void {
  const length = Buffer.byteLength(body);
  response.setHeader('Content-Type', mediaType);
  response.setHeader('Content-Length', length);
  endWith(response, body, length);
}

/** Sends the headers that are set, and nothing else. */
export function sendHeaders(response: ServerResponse): void {
  endWith(response, '', 0);
}

/**
 * Ends a response whose headers are set.
 *
 * @param length of the body in bytes
 */
function endWith(response: ServerResponse, body: Body, length: number): void {
  // Node leaves the body out of a response to HEAD.
  if (typeof body === 'string') {
    // In one piece with the headers. What is all ASCII need not be encoded.
    response.end(body, length === body.length ? 'latin1' : 'utf8');
  } else {
    sendInChunks(response, body);
  }
}

/**
 * Sends a large body no faster than the client reads it, a chunk in a turn of the event loop: to copy all of it into the
 * kernel at once takes a millisecond, and many may ask for it at the same time.
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
