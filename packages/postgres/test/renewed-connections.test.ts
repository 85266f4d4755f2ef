import { expect, onTestFinished, test } from 'vitest';
import { emptyDatabase } from '../../../test/support/new-database.ts';
import { createPool, renewConnections } from '../src/pool.ts';

const SESSION =
  "SELECT current_setting('application_name') AS name, current_setting('enable_sort') AS sort";

test('renewed connections have the new name and settings; statements in flight finish on the old connections', async () => {
  const url = await emptyDatabase();
  const pool = createPool(url, { name: 'pool', max: 3, applicationName: 'before' });
  onTestFinished(() => pool.end());
  const session = async (sleep = 0) => {
    const { rows } = await pool.query<object>(`${SESSION}, pg_sleep(${sleep})`);
    return rows[0];
  };
  const [first, second] = await Promise.all([session(0.1), session(0.1)]);
  const before = { name: 'before', sort: 'on' };
  expect([first, second]).toMatchObject([before, before]);

  const inFlight = session(0.3);
  renewConnections(pool, url, { applicationName: 'after', settings: '-c enable_sort=off' });
  const after = await Promise.all([session(), session()]);
  const renewed = { name: 'after', sort: 'off' };
  expect(after).toMatchObject([renewed, renewed]);
  expect(await inFlight).toMatchObject(before);
  expect(await session()).toMatchObject(renewed);
});
