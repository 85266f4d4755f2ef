import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * Forwards connections to a server and counts the bytes that it returns, because a browser doesn't report those of workers'
 * scripts.
 */
export async function startCountingProxy(target: URL): Promise<{
  readonly host: string;
  /** Returns the bytes received since the last call. */
  readonly takeBytes: () => number;
  readonly close: () => void;
}> {
  let bytes = 0;
  const sockets = new Set<Socket>();
  const server = createServer((browser) => {
    const upstream = connect(Number(target.port || 80), target.hostname);
    for (const socket of [browser, upstream]) {
      sockets.add(socket);
      // When one side ends, the other ends, too.
      socket.on('error', () => socket.destroy());
    }
    upstream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    browser.pipe(upstream).pipe(browser);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    host: `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    takeBytes: () => {
      const taken = bytes;
      bytes = 0;
      return taken;
    },
    close: () => {
      server.close();
      for (const socket of sockets) {
        socket.destroy();
      }
    },
  };
}
