import type { Server } from 'node:http';
import { port } from './environment.ts';

/** Listens on loopback, and prints the one line that the harness waits for. */
export function serve(server: Server): void {
  server.listen(port, '127.0.0.1', () => {
    announce(server);
  });
}

/** Prints the line that the harness waits for, for a framework that listens by itself. */
export function announce(server: Server): void {
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new Error('Not listening on a port');
  }
  // Nothing has to be drained: the load has ended before the harness sends the signal.
  process.once('SIGTERM', () => {
    process.exit(0);
  });
  process.stdout.write(`listening http://127.0.0.1:${address.port}\n`);
}
