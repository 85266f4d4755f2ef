import { expect, test } from 'vitest';
import { connectClient } from '../support/connect-client.ts';
import { requestContext } from '@store-gateway/ops';
import { startGateway } from '../support/gateway.ts';

const { database, databaseUrl } = await startGateway();

/** Calls the database as a request with this API key would. */
function asKey<Result>(keyId: string, call: () => PromiseLike<Result>): Promise<Result> {
  // A Prisma call starts only when it is awaited.
  return requestContext.run({ id: keyId, keyId }, async () => call());
}

const readAll = () => database.pet.findMany({ where: { name: 'Rex' } });
const readSome = () => database.pet.findMany({ where: { name: 'Rex' }, take: 5 });

test('an engine call without a row limit is rejected in a request, but not in a command', async () => {
  await expect(asKey('1', readAll)).rejects.toThrow('Pet.findMany needs a take of 1 to 1000');
  expect(await readAll()).toEqual([]);
  expect(await asKey('1', readSome)).toEqual([]);
});

test('many slow calls by one key leave connections for other keys', async () => {
  const holder = await connectClient(databaseUrl);
  await holder.query('SELECT pg_advisory_lock(7)');
  let settled = 0;
  const slow = Array.from({ length: 12 }, () =>
    asKey(
      'slow',
      () => database.$queryRaw`SELECT 1 AS one FROM (SELECT pg_advisory_xact_lock(7)) AS waited`,
    ).finally(() => {
      settled += 1;
    }),
  );
  const all = Promise.allSettled(slow);
  expect(await asKey('other', () => database.pet.count())).toBe(0);
  expect(settled).toBe(0);
  await holder.query('SELECT pg_advisory_unlock(7)');
  await all;
  expect(await asKey('slow', () => database.pet.count())).toBe(0);
});
