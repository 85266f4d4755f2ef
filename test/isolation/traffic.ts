import { subscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';

/** What a process has sent. */
export interface Traffic {
  readonly connections: number;
  readonly bytes: number;
}

/** Counts the connections that this process opens from now on, and what it writes on them. */
export function countTraffic(): () => Traffic {
  let connections = 0;
  let closedBytes = 0;
  const open = new Set<Socket>();
  subscribe('net.client.socket', (message) => {
    if (typeof message !== 'object' || message === null || !('socket' in message)) return;
    const { socket } = message;
    if (!(socket instanceof Socket)) return;
    socket.once('connect', () => {
      connections += 1;
      open.add(socket);
      socket.once('close', () => {
        open.delete(socket);
        closedBytes += socket.bytesWritten;
      });
    });
  });
  return () => ({
    connections,
    bytes: [...open].reduce((sum, { bytesWritten }) => sum + bytesWritten, closedBytes),
  });
}

export function readTraffic(line = ''): Traffic {
  const [connections = 0, bytes = 0] = line.split(' ').map(Number);
  return { connections, bytes };
}
