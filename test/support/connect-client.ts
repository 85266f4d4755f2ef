import { Client, type ClientConfig } from 'pg';
import { onTestFinished } from 'vitest';

/** Opens a connection that is closed when the test is over, or when another hook runs. */
export async function connectClient(
  connection: string | ClientConfig | undefined,
  onFinished: (cleanUp: () => Promise<void>) => void = onTestFinished,
): Promise<Client> {
  const client = new Client(connection);
  // The server may stop before the connection is closed.
  client.on('error', () => undefined);
  await client.connect();
  onFinished(() => client.end());
  return client;
}
