import { openDatabase } from '../support/store-database.ts';
import { expect, onTestFinished, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { requestOf } from '../support/gateway.ts';
import { startPatientService } from '../support/service.ts';
import { newDatabase } from '../support/new-database.ts';

const QUOTA = 750;

test('processes whose clocks differ by an hour share a limit', async () => {
  const databaseUrl = await newDatabase();
  const database = openDatabase(databaseUrl);
  onTestFinished(() => database.$disconnect());
  const { key } = await createKey(database, { name: 'caller' });
  const env = { DATABASE_URL: databaseUrl, RATE_LIMIT: `${QUOTA}/99999s` };
  const setForth = 'const{now}=Date;Date.now=()=>now()+3_600_000';
  await using right = await startPatientService(env);
  await using wrong = await startPatientService({
    ...env,
    NODE_OPTIONS: `--import=data:text/javascript,${setForth.replaceAll(' ', '%20')}`,
  });
  const statusOf = async ({ url }: { readonly url: string }) =>
    (await requestOf(url, key)('/v1/pets')).status;

  // In parts: a key may have no more open at a time.
  for (let part = 0; part < 3; part += 1) {
    const statuses = await Promise.all(Array.from({ length: QUOTA / 3 }, () => statusOf(wrong)));
    expect(new Set(statuses)).toEqual(new Set([200]));
  }
  let letIn = 0;
  const poll = async () => {
    const status = await statusOf(right);
    letIn += Number(status === 200);
    return status;
  };
  // Until it has heard of them, it lets some in.
  await expect.poll(poll).toBe(429);
  expect(letIn).toBeLessThan(QUOTA / 4);
  expect(await statusOf(wrong)).toBe(429);
});
