import type { ServerResponse } from 'node:http';

/** Bytes that are written in one turn of the event loop. */
const PIECE_BYTES = 262_144;

/**
 * Sends a large body no faster than the client reads it, a piece in a turn of the event loop: to copy all of it into the
 * kernel at once takes a millisecond, and many may ask for it at the same time. The bytes are shared, not copied.
 */
export function sendInPieces(response: ServerResponse, body: Uint8Array): void {
  let sent = 0;
  const sendNext = (): void => {
    if (response.destroyed) {
      return;
    }
    const piece = body.subarray(sent, sent + PIECE_BYTES);
    sent += PIECE_BYTES;
    if (sent >= body.length) {
      response.end(piece);
    } else if (response.write(piece)) {
      setImmediate(sendNext);
    } else {
      response.once('drain', () => setImmediate(sendNext));
    }
  };
  sendNext();
}
