import { generateApiKey } from '../support/store-database.ts';
import { expect, test } from 'vitest';
import { startMeasuredGateway } from '../support/measured-gateway.ts';

const { moved, send } = await startMeasuredGateway({
  failedAuthLimit: { quota: 1, windowSeconds: 60 },
  now: () => 0,
});

test('requests beyond FAILED_AUTH_LIMIT are counted as rate-limited, and their keys are not looked up', async () => {
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
