import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a database for one service. */
export interface ProxyServer extends AsyncDisposable {
  /** The database's URL by way of it. */
  readonly url: string;
  /** Cuts all connections that there are. */
  readonly cutAll: () => void;
  /** Has new connections lead to another PostgreSQL. */
  readonly switchTo: (databaseUrl: string) => void;
}

/**
 * Stands between a service and a database that listens on a Unix socket, which the URL names as `host`.
 *
 * @param join forwards what each side of a new connection sends; that one has closed it tells the other itself
 */
export async function startProxyServer(
  databaseUrl: string,
  join: (client: Socket, database: Socket) => void,
): Promise<ProxyServer> {
  let target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const cutAll = () => {
    for (const socket of sockets) {
      socket.destroy();
    }
  };

  const server = createServer((client) => {
    const database = connect(`${target.searchParams.get('host')}/.s.PGSQL.${target.port}`);
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      // The close, which follows, is told to the other side.
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    join(client, database);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(databaseUrl);
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  url.port = typeof address === 'object' ? String(address?.port) : '';

  return {
    url: url.href,
    cutAll,
    switchTo: (otherUrl) => {
      target = new URL(otherUrl);
    },
    [Symbol.asyncDispose]: async () => {
      cutAll();
      server.close();
      await once(server, 'close');
    },
  };
}
