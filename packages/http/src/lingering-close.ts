import type { Readable } from 'node:stream';
import type { Connection } from './connection.ts';
import { stopParsing } from './node-internals.ts';

/** For a client to read the last response and to close its side. */
const LINGER_TIMEOUT_MS = 1000;

/** What comes behind them is left unread. */
const MAX_DISCARDED_BYTES = 1_000_000;

/**
 * Half-closes a connection and discards what still arrives until the client closes its side (RFC 9112, 9.6): a close
 * with bytes of the client unread, or on their way, resets the connection, and the client may lose the last response.
 */
export function closeLingering(connection: Connection, lastBytes = ''): void {
  if (connection.isLingering) {
    return;
  }
  connection.isLingering = true;
  const { socket } = connection;
  socket.end(lastBytes);
  const timeout = setTimeout(() => {
    socket.destroy();
  }, LINGER_TIMEOUT_MS);
  socket.once('close', () => {
    clearTimeout(timeout);
  });
  stopParsing(socket);
  discardSome(socket);
  socket.resume();
}

/** Discards what arrives, until that is too much. */
export function discardSome(stream: Readable, onTooMuch?: () => void): void {
  let discarded = 0;
  stream.on('data', ({ length }: Buffer) => {
    discarded += length;
    if (discarded > MAX_DISCARDED_BYTES) {
      stream.pause();
      onTooMuch?.();
    }
  });
}
