import { expect, test, vi } from 'vitest';
import { startRetention } from '../../packages/gateway/src/app/retention.ts';
import { captureLog } from '../support/captured-log.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';

const limits = {
  rateLimit: { quota: 60_000, windowSeconds: 60 },
  failedAuthLimit: { quota: 60, windowSeconds: 6000 },
};
const [gateway, refusing] = [await startGateway(limits), await startGateway()];
const log = captureLog();

/** Removes old rows once, as when a service starts. */
function removeOld({ database, rateLimits }: Gateway): void {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  startRetention(database, rateLimits, new AbortController().signal);
  vi.useRealTimers();
}

/** The policies and subjects that have a count, sorted. */
async function subjectsOf({ tables }: Gateway): Promise<string[]> {
  const rows = await tables.rateLimitCount.findMany({ select: { policy: true, subject: true } });
  return rows.map(({ policy, subject }) => `${policy} ${subject}`).toSorted();
}

test('rate limit counts older than two windows are deleted, however many there are, and others are kept', async () => {
  // The counts to keep come between the others and after them.
  await gateway.database.$executeRaw`
    INSERT INTO _gateway_rate_limit_counts
    SELECT policy, number::text, 1,
      now() - CASE WHEN number % 1000 = 999 THEN interval '60 s' ELSE interval '121 s' END
    FROM generate_series(1, 2999) AS number, unnest(ARRAY['key', 'failed-auth']) AS policy`;
  removeOld(gateway);
  const numbers = Array.from({ length: 2999 }, (_, index) => index + 1);
  const kept = [
    ...numbers.map((number) => `failed-auth ${number}`),
    'key 1999',
    'key 2999',
    'key 999',
  ];
  await expect.poll(() => subjectsOf(gateway)).toEqual(kept.toSorted());
});

test('a failed deletion of old counts is logged, and limits are still shared', async () => {
  const { database, rateLimits, request } = refusing;
  await database.$executeRaw`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'no'; END$$`;
  await database.$executeRaw`
    CREATE TRIGGER refuse BEFORE DELETE ON _gateway_rate_limit_counts FOR EACH STATEMENT EXECUTE FUNCTION refuse()`;
  removeOld(refusing);
  await log.line((line) =>
    line.includes('"msg":"could not delete old rate limit counts; will try again later"'),
  );
  expect((await request('/v1/pets')).status).toBe(200);
  await rateLimits.flush();
  expect(await subjectsOf(refusing)).toEqual(['key 1']);
});
