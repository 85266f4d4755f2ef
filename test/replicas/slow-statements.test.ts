import { createBackendReaper } from '@gateway/postgres/backend-reaper';
import { createPool } from '@gateway/postgres/pool';
import { expect, test } from 'vitest';
import { replicasAt } from '../../src/database/replicas.ts';
import { onFileFinished } from '../support/clean-up.ts';
import { AS_IN_PRODUCTION } from '../support/gateway.ts';
import { insertOf } from '../support/replica-reads.ts';
import { startReplicatedPostgres } from '../support/replicated-postgres.ts';

const postgres = await startReplicatedPostgres({
  replicas: 1,
  settings: { max_standby_streaming_delay: '0' },
});
onFileFinished(() => postgres[Symbol.asyncDispose]());
const { primary } = postgres;
const [replica] = postgres.replicas;
if (replica === undefined) throw new Error('there is one');

const options = {
  max: 2,
  timeouts: AS_IN_PRODUCTION.databaseTimeouts,
  applicationName: 'test',
};
const pool = createPool(primary.url, { name: 'reads', reaper: createBackendReaper(), ...options });
const replicas = replicasAt([replica.url])({ pool, isPooled: false }, options);
onFileFinished(async () => {
  await replicas.close();
  await pool.end();
});

const SLOW = { name: 'slow', text: 'SELECT pg_is_in_recovery() FROM pg_sleep(0.2)' };

test('a statement that takes long, on a replica that answers, is not executed by the primary too', async () => {
  await expect.poll(() => replicas.read(SLOW, [])).toEqual([['t']]);
});

const conflicts = () =>
  replica.ask('SELECT sum(confl_snapshot)::int FROM pg_stat_database_conflicts');

test('a statement that a replica cancels because of a conflict with recovery is executed by the primary', async () => {
  const answers = new Set<string>();
  const conflictsAfterRead = async () => {
    const reading = replicas.read(SLOW, []);
    await primary.ask(insertOf('short-lived'));
    await primary.ask('DELETE FROM pets');
    await primary.ask('VACUUM pets');
    answers.add(JSON.stringify(await reading));
    return conflicts();
  };
  await expect.poll(conflictsAfterRead).toBeGreaterThan(0);
  expect(answers).toContain('[["f"]]');
});
