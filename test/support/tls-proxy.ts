import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';
import { onFileFinished } from './clean-up.ts';

/** Of a server that is "localhost", and its own authority. */
export const CERTIFICATE = join(import.meta.dirname, 'tls', 'certificate.pem');

const secureContext = createSecureContext({
  cert: readFileSync(CERTIFICATE),
  key: readFileSync(join(import.meta.dirname, 'tls', 'key.pem')),
});

/**
 * Speaks TLS for a database that listens on a Unix socket, which the URL names as `host`, until the tests of the file are
 * over.
 *
 * @returns its port on 127.0.0.1
 */
export async function startTlsProxy(databaseUrl: string): Promise<number> {
  const target = new URL(databaseUrl);
  const path = `${target.searchParams.get('host')}/.s.PGSQL.${target.port}`;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined);
    // The first packet asks whether there is TLS: https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-SSL.
    client.once('data', () => {
      client.write('S');
      const decrypted = new TLSSocket(client, { isServer: true, secureContext });
      const database = connect(path);
      decrypted.on('error', () => database.destroy());
      // The close that follows is told to the client.
      database.on('error', () => undefined);
      decrypted.once('close', () => database.destroy());
      database.once('close', () => decrypted.destroy());
      decrypted.pipe(database).pipe(decrypted);
    });
  });
  onFileFinished(async () => {
    for (const socket of sockets) {
      socket.destroy();
    }
    server.close();
    await once(server, 'close');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}
