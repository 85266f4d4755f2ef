import { expect, onTestFinished, test } from 'vitest';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { newDatabase } from '../support/new-database.ts';
import { startMeasuredService } from '../support/measured.ts';

test('metrics count unanswered statements and their 503 responses, with the durations of both', async () => {
  await using proxy = await startDatabaseProxy(await newDatabase());
  await using service = await startMeasuredService({
    DATABASE_URL: proxy.url,
    // Rate limits would write their counts from time to time, with additional statements.
    RATE_LIMIT: 'off',
    FAILED_AUTH_LIMIT: 'off',
  });
  const { moved, send } = service;
  // Makes the service cache its API key.
  await send('/v1/pets');
  const started = performance.now();
  const counted = await moved(/_(count|sum)\{.*(error_type|code=503)/, async () => {
    proxy.hold();
    onTestFinished(proxy.letGo);
    expect(await send('/v1/pets?limit=3')).toBe(503);
    proxy.letGo();
  });
  const elapsed = (performance.now() - started) / 1000;
  const told = [
    'db_client_operation_duration_seconds_sum{db_query_summary=Pet.findPages error_type=unavailable}',
    'http_server_request_duration_seconds_sum{surface=rest operation=listPets http_response_status_code=503}',
  ];
  const seconds = told.map((sum) => counted[sum]);
  expect(counted).toEqual(
    Object.fromEntries(
      told.flatMap((sum, index) => [
        [sum, seconds[index]],
        [sum.replace('_sum{', '_count{'), 1],
      ]),
    ),
  );
  for (const took of seconds) {
    // Statements time out after 0.8 s.
    expect(took).toBeGreaterThan(0.7);
    expect(took).toBeLessThanOrEqual(elapsed);
  }
});
