import { Pool } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { connectClient } from '../../../test/support/connect-client.ts';
import { emptyDatabase } from '../../../test/support/new-database.ts';
import { openReplicaSession } from '../src/replicas/read-at.ts';

const LOCK = { name: 'lock', text: 'SELECT pg_advisory_lock(1)' };
const COUNT = { name: 'count', text: 'SELECT count(*) FROM things' };

test.each(['read committed', 'serializable'])(
  'a pipelined statement sees data that was committed while the previous statement ran: %s',
  async (isolation) => {
    const connectionString = await emptyDatabase();
    const other = await connectClient(connectionString);
    const options = `-c default_transaction_isolation=${isolation.replace(' ', String.raw`\ `)}`;
    const pool = new Pool({ connectionString, pipeline: true, options });
    onTestFinished(() => pool.end());
    await other.query('CREATE TABLE things (); SELECT pg_advisory_lock(1)');

    const session = openReplicaSession(await pool.connect());
    const sent = Promise.all([session.query(LOCK, []), session.query(COUNT, [])]);
    session.release();
    const waiting =
      "SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted AND locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    await expect
      .poll(async () => (await other.query<{ waiting: number }>(waiting)).rows)
      .toEqual([{ waiting: 1 }]);
    await other.query('INSERT INTO things DEFAULT VALUES');
    await other.query('SELECT pg_advisory_unlock(1)');
    const [, rows] = await sent;
    expect(rows).toEqual([['1']]);
  },
);
