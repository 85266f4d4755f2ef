import type { Duplex } from 'node:stream';

/** Milliseconds that a client has to read what was sent last. */
const PATIENCE = 1000;

/**
 * Ends a connection in two steps (RFC 9112, 9.6): to close it at once, with bytes of the client unread, would
 * reset it, and the client might lose our last words.
 */
export function endPolitely(socket: Duplex, lastWords = ''): void {
  socket.end(lastWords);
  const patience = setTimeout(() => {
    socket.destroy();
  }, PATIENCE);
  socket.once('close', () => {
    clearTimeout(patience);
  });
}
