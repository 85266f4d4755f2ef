import { once } from 'node:events';
import { createServer } from 'node:net';
import { listenFailure } from '@store-gateway/ops';

/**
 * Expects that a port is free, before work that would be in vain without it. Another process may still take it meanwhile.
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
