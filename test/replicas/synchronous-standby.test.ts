import { Client } from 'pg';
import { expect, test } from 'vitest';
import { onFileFinished } from '../support/clean-up.ts';
import { startMeasuredGateway } from '../support/measured-gateway.ts';
import {
  answeredBy,
  insertOf,
  namesShownBy,
  readsAreAnsweredBy,
} from '../support/replica-reads.ts';
import { startReplicatedPostgres } from '../support/replicated-postgres.ts';

const postgres = await startReplicatedPostgres({ replicas: 1 });
onFileFinished(() => postgres[Symbol.asyncDispose]());
const { primary } = postgres;
const [replica] = postgres.replicas;
if (replica === undefined) throw new Error('there is one');
const gateway = await startMeasuredGateway({
  databaseUrl: primary.url,
  replicaUrls: [replica.url],
});

const waitFor = async (standby: string) => {
  await primary.ask(`ALTER SYSTEM SET synchronous_standby_names = '${standby}'`);
  await primary.ask('SELECT pg_reload_conf()');
};
const count = 'SELECT count(*)::int FROM pets';

test('a commit that no synchronous standby has confirmed is shown by no replica before the primary shows it', async () => {
  await readsAreAnsweredBy(gateway, 'replica none');
  await waitFor('lost');
  const client = new Client({ connectionString: primary.url });
  await client.connect();
  onFileFinished(() => client.end());
  await expect.poll(() => primary.ask('SHOW synchronous_standby_names')).toBe('lost');
  const inserting = client.query(insertOf('unconfirmed'));
  await expect.poll(() => replica.ask(count)).toBe(1);
  expect(await primary.ask(count)).toBe(0);

  const byServer = await answeredBy(gateway, async () => {
    expect(await namesShownBy(gateway)).toEqual([]);
  });
  expect(byServer['replica none']).toBeUndefined();
  await waitFor('');
  await inserting;
  await readsAreAnsweredBy(gateway, 'replica none');
  expect(await namesShownBy(gateway)).toEqual(['unconfirmed']);
});
