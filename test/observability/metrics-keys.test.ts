import { expect, inject, test } from 'vitest';
import { generateApiKey, hashApiKey } from '../../src/auth/api-key.ts';
import { openDatabase } from '../../src/database/client.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { startMeasuredService } from '../support/measured-service.ts';

const labels = (keyId: string) => `animal_store_deprecated_calls_total{key_id=${keyId} field=pet}`;

test('deprecated calls of 200 keys are told apart, and those of all others together', async () => {
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const { send, moved } = await startMeasuredService({ DATABASE_URL: databaseUrl });
  const database = openDatabase(databaseUrl);
  const keys = Array.from({ length: 203 }, generateApiKey);
  await database.apiKey.createMany({
    data: keys.map((key) => ({ name: 'test', hash: hashApiKey(key) })),
  });
  await database.$disconnect();

  const ask = async (callers: readonly string[]) => {
    // No more at a time than can look up their keys soon.
    for (let first = 0; first < callers.length; first += 20) {
      const sent = callers
        .slice(first, first + 20)
        .map((caller) => send('/v1/pets/0', { headers: { Authorization: `Bearer ${caller}` } }));
      expect(new Set(await Promise.all(sent))).toEqual(new Set([404]));
    }
  };
  const counted = await moved(/^animal_store_deprecated_calls/, async () => {
    await ask(keys.slice(0, 200));
    await ask(keys.slice(200));
    // One that is told apart stays so.
    await ask(keys.slice(0, 1));
  });
  // The first key of the service is 1.
  const expected = Array.from(
    { length: 200 },
    (_, index) => [labels(String(index + 2)), 1] as const,
  );
  expect(counted).toEqual({
    ...Object.fromEntries(expected),
    [labels('2')]: 2,
    [labels('other')]: 3,
  });
});

test('requests of an address that is kept away are counted as that, and nobody looks at their keys', async () => {
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const env = { DATABASE_URL: databaseUrl, FAILED_AUTH_LIMIT: '1/60s' };
  const { send, moved } = await startMeasuredService(env);
  const counted = await moved(
    /^animal_store_auth|^http_server\w+count|count\{.*find-key/,
    async () => {
      for (const status of [401, 429, 429]) {
        const headers = { Authorization: `Bearer ${generateApiKey()}` };
        expect(await send('/v1/pets', { headers })).toBe(status);
      }
    },
  );
  const requests = 'http_server_request_duration_seconds_count{surface=rest operation=listPets';
  expect(counted).toEqual({
    [`${requests} http_response_status_code=401}`]: 1,
    [`${requests} http_response_status_code=429}`]: 2,
    'animal_store_authentications_total{outcome=unknown}': 1,
    'animal_store_authentications_total{outcome=rate_limited}': 2,
    'db_client_operation_duration_seconds_count{db_query_summary=find-key-by-hash}': 1,
  });
});
