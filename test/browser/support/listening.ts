import { once } from 'node:events';
import type { Server } from 'node:http';
import { onFileFinished } from '../../support/clean-up.ts';

/** Has a server listen on a free port of this machine until the tests of the file are over; resolves to its address. */
export async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onFileFinished(async () => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}
