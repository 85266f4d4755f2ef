import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Makes a server listen on a free local port; resolves to the port. */
export async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

/** Starts a server that by default sends nothing, until the test is over; resolves to the port. */
export async function listenLocally(onConnection?: (client: Socket) => void): Promise<number> {
  const server = createServer(onConnection);
  onTestFinished(() => {
    server.close();
  });
  return portOf(server);
}
