import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { batchedModels } from '../src/batched-models.ts';
import { openClients } from './clients.ts';
import { models } from './generated/batched-models.ts';
import type { Prisma } from './generated/client.ts';

const { engine, batched, options, statements, pool, close } = await openClients();
afterAll(close);

const REQUIRED = {
  bigInt: 1n,
  int: 1,
  float: 0.1,
  decimal: '1.5',
  string: 'text',
  boolean: false,
  dateTime: new Date(0),
  json: {},
  bytes: new Uint8Array([0, 255]),
  level: 'low',
} as const satisfies Prisma.EverythingCreateInput;

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

test('changes of ever more sets of columns leave few statements prepared', async () => {
  const { id } = await engine.everything.create({ data: REQUIRED });
  const fields = ['int', 'float', 'string', 'boolean', 'level', 'bigInt', 'bytes'] as const;
  for (let subset = 1; subset < 2 ** fields.length; subset += 1) {
    const some = fields.filter((_field, index) => (subset >> index) % 2 === 1);
    const data = Object.fromEntries(some.map((field) => [field, REQUIRED[field]]));
    await batched.everything.update({ where: { id }, data });
  }
  const kept = new Set(
    statements.map(({ statement: { name, preparedAs } }) =>
      name === 'Everything.updateAll' ? preparedAs : '',
    ),
  );
  expect(kept.size).toBe(1 + 64);
});

test('each change of a row moves the time of its update on', async () => {
  const { id, updatedAt } = await engine.defaulted.create({ data: {} });
  const times = [updatedAt.getTime()];
  for (let number = 0; number < 20; number += 1) {
    const updated = await batched.defaulted.update({ where: { id }, data: { number } });
    times.push(updated.updatedAt.getTime());
  }
  expect(statements.at(-1)?.statement.name).toBe('Defaulted.updateAll');
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(new Set(times).size).toBe(times.length);
  expect(Math.abs((times.at(-1) ?? 0) - Date.now())).toBeLessThan(1_800_000);
  const given = new Date('2020-01-01T00:00:00.001Z');
  const set = await batched.defaulted.update({ where: { id }, data: { updatedAt: given } });
  expect(set.updatedAt).toEqual(given);
});
