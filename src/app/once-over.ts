import type { ServerResponse } from 'node:http';

/**
 * Calls the listener once, when a response has ended or its connection is gone. Of a response that is behind another one on
 * its connection, Node itself doesn't tell the latter.
 */
export function onceOver(response: ServerResponse, listener: () => void): void {
  if (response.socket !== null) {
    response.on('close', listener);
    return;
  }
  const { socket } = response.req;
  const end = (): void => {
    response.off('close', end);
    socket.off('close', end);
    listener();
  };
  response.once('close', end);
  socket.once('close', end);
}
