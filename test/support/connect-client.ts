import { Client } from 'pg';
import { onTestFinished } from 'vitest';

/** A connection of the test's own, until the test is over. */
export async function connectClient(url: string): Promise<Client> {
  const client = new Client(url);
  // Its server may go before it.
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}
