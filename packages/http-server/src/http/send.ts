import type { ServerResponse } from 'node:http';
import { sendInPieces } from './send-in-chunks.ts';

/**
 * Sends a body that is written, under the status that is set. Express's own `send` would look at it once
 * more from all sides: which type it may be, and whether the client has it already.
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

function finish(response: ServerResponse, body: string | Uint8Array): void {
  response.emit(SENT, body);
  // Node leaves the body out of an answer to HEAD.
  if (typeof body === 'string') {
    // In one piece with the headers.
    response.end(body);
  } else {
    sendInPieces(response, body);
  }
}

const SENT = Symbol('sent');

/** Tells the body of a response when it is sent; never, if that is not done by one of these. */
export function onceSent(
  response: ServerResponse,
  listener: (body: string | Uint8Array) => void,
): void {
  response.once(SENT, listener);
}
