import { Client, type ClientConfig } from 'pg';
import { onTestFinished } from 'vitest';

/** A connection until the test is over, or what another hook waits for. */
export async function connectClient(
  connection: string | ClientConfig | undefined,
  onFinished: (cleanUp: () => Promise<void>) => void = onTestFinished,
): Promise<Client> {
  const client = new Client(connection);
  // Its server may go before it.
  client.on('error', () => undefined);
  await client.connect();
  onFinished(() => client.end());
  return client;
}
