import { generateApiKey } from '../support/store-database.ts';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { onFileFinished } from '../support/clean-up.ts';
import { startGateway } from '../support/gateway.ts';
import { head, rawConnection } from '../support/raw-connection.ts';

const OPEN = 20;
const { databaseUrl, key, request, url } = await startGateway({
  maximumOpenRequests: OPEN,
  trustedProxies: ['loopback'],
});
// From here on its key is known.
await request('/v1/pets');

/** Has all lookups of keys wait until it is called. */
async function holdLookups(): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  onFileFinished(() => client.end());
  await client.query('BEGIN; LOCK TABLE _gateway_api_keys IN ACCESS EXCLUSIVE MODE');
  return async () => {
    await client.query('COMMIT');
  };
}

test('made-up keys from many addresses leave room for a known one', async () => {
  const connections = await Promise.all(Array.from({ length: OPEN + 1 }, () => rawConnection(url)));
  const [honest, ...strangers] = connections;
  const release = await holdLookups();
  let refused = 0;
  const settled = strangers.map(async ({ send, answers }, index) => {
    send(
      head(
        'GET /v1/pets',
        `Authorization: Bearer ${generateApiKey()}`,
        `X-Forwarded-For: 192.0.2.${index}`,
      ),
    );
    const [answer] = await answers(1);
    refused += answer?.status === 503 ? 1 : 0;
  });
  await expect.poll(() => refused).toBe(OPEN / 2);
  honest?.send(head('GET /v1/pets', `Authorization: Bearer ${key}`));
  await release();
  const [answer] = (await honest?.answers(1)) ?? [];
  expect(answer?.status).toBe(200);
  await Promise.all(settled);
});
