import { Pool } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { connectClient } from '../../../test/support/connect-client.ts';
import { emptyDatabase } from '../../../test/support/new-database.ts';
import { createPing } from '../src/statement.ts';

/** Creates a ping over a pool of one connection. Its write probe advances a sequence, which `written` reads. */
async function start(probe = 'SELECT 1') {
  const connectionString = await emptyDatabase();
  const operator = await connectClient(connectionString);
  const pool = new Pool({ connectionString, max: 1 });
  onTestFinished(() => pool.end());
  await operator.query('CREATE SEQUENCE written MINVALUE 0');
  const ping = createPing({
    readPool: pool,
    writePool: pool,
    probe: { name: 'probe', text: probe },
    writeProbe: "SELECT nextval('written')",
  });
  const setReadOnly = async (value: string) => {
    const name = new URL(connectionString).pathname.slice(1);
    await operator.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
  };
  const written = async () =>
    (await operator.query<object>('SELECT is_called, last_value FROM written')).rows;
  return { pool, ping, setReadOnly, written };
}

test('after a rejected write, the ping writes until a write succeeds', async () => {
  const { pool, ping, setReadOnly, written } = await start();
  await setReadOnly('on');
  await ping();
  await expect(pool.query('CREATE TABLE refused ()')).rejects.toMatchObject({ code: '25006' });
  await expect(ping()).rejects.toMatchObject({ extensions: { code: 'SERVICE_UNAVAILABLE' } });
  expect(await written()).toEqual([{ is_called: false, last_value: '0' }]);

  await setReadOnly('off');
  await ping();
  await ping();
  expect(await written()).toEqual([{ is_called: true, last_value: '0' }]);
});

test("the ping fails with PostgreSQL's error if a required table is missing", async () => {
  const { ping } = await start('SELECT FROM missing');
  await expect(ping()).rejects.toMatchObject({ code: '42P01' });
});
