import { once } from 'node:events';
import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';

/** A server that answers all requests once it is opened, and closes at the end of the test. */
export async function closedGate() {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    void opened.then(() => response.end());
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, open };
}
