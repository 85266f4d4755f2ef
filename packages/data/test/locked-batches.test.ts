import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { batchedModels } from '../src/batched-models.ts';
import { openClients } from './clients.ts';
import { models } from './generated/batched-models.ts';

const { engine, options, pool, close } = await openClients();
afterAll(close);

test('batches of the same rows never wait for each other in a circle', async () => {
  const [first, second] = await Promise.all(
    ['first', 'second'].map((name) =>
      engine.author.create({ data: { name, email: randomUUID() } }),
    ),
  );
  // A batch stops before its second row, as long as the test holds the lock.
  const holder = await pool.connect();
  await holder.query(`
  CREATE FUNCTION stop_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF current_setting('test.is_second', true) = 'on' THEN
      PERFORM pg_advisory_xact_lock_shared(2);
    END IF;
    PERFORM set_config('test.is_second', 'on', true);
    RETURN NEW;
  END $$;
  CREATE TRIGGER stop_change BEFORE UPDATE ON "Author" FOR EACH ROW EXECUTE FUNCTION stop_change();
  SELECT pg_advisory_lock(2)`);
  const ids = [first?.id ?? 0, second?.id ?? 0];
  const changes = [ids, ids.toReversed()].map((order) => {
    const client = engine.$extends(
      batchedModels(engine, models, { ...options, isFault: () => false }),
    );
    return Promise.all(
      order.map((id) => client.author.update({ where: { id }, data: { name: 'locked' } })),
    );
  });
  const waiting = `SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await expect.poll(async () => (await holder.query(waiting)).rowCount).toBe(2);
  await holder.query('SELECT pg_advisory_unlock(2); DROP TRIGGER stop_change ON "Author"');
  holder.release();
  const [one = [], other = []] = await Promise.all(changes);
  expect(other).toEqual(one.toReversed());
});
