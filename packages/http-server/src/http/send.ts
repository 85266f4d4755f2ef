import type { ServerResponse } from 'node:http';

/** Written in one turn of the event loop. */
const CHUNK_BYTES = 262_144;

const SENT = Symbol('sent');

/**
 * Sends a body that is written, under the status that is set. Express's own `send` would look at it once more: which
 * type it may be, and whether the client has it already.
 */
export function send(response: ServerResponse, mediaType: string, body: string | Uint8Array): void {
  response.setHeader('Content-Type', mediaType);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  finish(response, body);
}

/** Sends the headers that are set, and nothing else. */
export function sendHeaders(response: ServerResponse): void {
  finish(response, '');
}

/** Calls a listener with the body of a response when one of these sends it. */
export function onceSent(
  response: ServerResponse,
  listener: (body: string | Uint8Array) => void,
): void {
  response.once(SENT, listener);
}

function finish(response: ServerResponse, body: string | Uint8Array): void {
  response.emit(SENT, body);
  // Node leaves the body out of a response to HEAD.
  if (typeof body === 'string') {
    // In one piece with the headers.
    response.end(body);
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
