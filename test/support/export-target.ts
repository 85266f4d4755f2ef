import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';
import { environmentFor } from './collector.ts';

/** What makes a service export its traces to a server that answers so, or to one that is gone. */
export async function exportingTo(listener: RequestListener | 'gone'): Promise<NodeJS.ProcessEnv> {
  const server = listener === 'gone' ? createServer() : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  if (listener === 'gone') {
    close();
    await once(server, 'close');
  } else {
    onTestFinished(close);
  }
  return environmentFor(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
}
