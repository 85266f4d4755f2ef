import { once } from 'node:events';
import { createServer } from 'node:net';
import { listenFailure } from '@store-gateway/ops';

/**
 * Checks that a port is free, before work that would otherwise be wasted. Another process may still take the port before
 * `listen` does.
 *
 * @throws StartupFailure, as `listen` does
 */
export async function expectFreePort(address: {
  readonly host: string;
  readonly port: number;
}): Promise<void> {
  const server = createServer().listen(address.port, address.host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw listenFailure(error, address);
  }
  server.close();
  await once(server, 'close');
}
