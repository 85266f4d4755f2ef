import { createBackendReaper, createPool } from '@store-gateway/postgres';
import { expect, test } from 'vitest';
import { replicasAt } from '../../packages/gateway/src/database/client.ts';
import { onFileFinished } from '../support/clean-up.ts';
import { AS_IN_PRODUCTION } from '../support/gateway.ts';
import { insertOf, startPrimaryAndReplica } from '../support/replicated-postgres.ts';

const { primary, replica } = await startPrimaryAndReplica({ max_standby_streaming_delay: '0' });

const options = {
  max: 2,
  timeouts: AS_IN_PRODUCTION.databaseTimeouts,
  applicationName: 'test',
};
const pool = createPool(primary.url, { name: 'reads', reaper: createBackendReaper(), ...options });
const replicas = replicasAt([replica.url])(pool, options);
onFileFinished(async () => {
  await replicas.close();
  await pool.end();
});

const SLOW = { name: 'slow', text: 'SELECT pg_is_in_recovery() FROM pg_sleep(0.2)' };

test('a slow statement on a responsive replica is not executed on the primary, too', async () => {
  await expect.poll(() => replicas.read(SLOW, [])).toEqual([['t']]);
});

const conflicts = () =>
  replica.ask('SELECT sum(confl_snapshot)::int FROM pg_stat_database_conflicts');

/** Has the primary remove rows that a statement on the replica may still see. */
async function disturb(): Promise<void> {
  await primary.ask(insertOf('short-lived'));
  await primary.ask('DELETE FROM pets');
  await primary.ask('VACUUM pets');
}

test('the primary executes a statement that a replica cancels because of a recovery conflict', async () => {
  const answers = new Set<string>();
  const conflictsAfterRead = async () => {
    const [answer] = await Promise.all([replicas.read(SLOW, []), disturb()]);
    answers.add(JSON.stringify(answer));
    return conflicts();
  };
  await expect.poll(conflictsAfterRead).toBeGreaterThan(0);
  expect(answers).toContain('[["f"]]');
});
