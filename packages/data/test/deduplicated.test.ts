import { batcherFactory } from '@store-gateway/ops';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { DatabaseError, Pool } from 'pg';
import { expect, inject, test } from 'vitest';
import { batchedModels } from '../src/batched-models.ts';
import { asRead } from '../src/conditions.ts';
import { deduplicatingClient } from '../src/once.ts';
import { runOn } from '../src/statements.ts';
import { createTable } from '../src/table.ts';
import { modelOf, openClients, REMOVED, REUSED } from './clients.ts';
import { ORDINARY } from './column-values.ts';
import { models } from './generated/batched-models.ts';
import { Prisma } from './generated/client.ts';

const { engine, under, pool, options, connectionString, answeredBy } = await openClients();

const newAuthor = () => engine.author.create({ data: { name: 'before', email: randomUUID() } });

/** A client whose writes have this idempotency key. `request` is the text that a replay of a change must repeat. */
const keyed = <Client extends object>(client: Client, name: string, request?: string) =>
  deduplicatingClient(client, {
    nextKey: () => ({ keyId: 1n, name }),
    reusedError: () => REUSED,
    missingRowError: () => REMOVED,
    request: request === undefined ? undefined : () => request,
  });

/** Like `keyed`, but as in a different process. */
const processFor = (key: string, request: string) =>
  keyed(
    engine.$extends(batchedModels(engine, models, { ...options, createBatcher: batcherFactory() })),
    key,
    request,
  );

test('concurrent creates with three idempotency keys create one row per key, in two statements', async () => {
  answeredBy.length = 0;
  const keys = Array.from({ length: 30 }, (_, index) => `many ${index % 3}`);
  const rows = await Promise.all(
    keys.map((key) => under(key).author.create({ data: { name: key, email: key } })),
  );
  expect(rows.map(({ name }) => name)).toEqual(keys);
  expect(await engine.author.count({ where: { name: { in: keys } } })).toBe(3);
  expect(answeredBy.slice(0, 2)).toEqual(['Author.createAllOnce', 'Author.findCreated']);
});

test.each([
  ['keys', '_gateway_idempotency_keys', 'INSERT'],
  // On distributed tables, each change is a separate transaction, and triggers don't run.
  ...(inject('isSharded') ? [] : [['rows', '"Author"', 'UPDATE'] as const]),
] as const)('batches that write the same %s never deadlock', async (what, table, operation) => {
  const ids = await Promise.all(
    ['one', 'other'].map(async (name) => {
      const data = { name, email: `${name} of the same ${what}` };
      return (await engine.author.create({ data })).id;
    }),
  );
  // Each batch stops before its second key or row while the test holds the lock.
  const holder = await pool.connect();
  await holder.query(`
      CREATE OR REPLACE FUNCTION stop_batch() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF current_setting('test.is_second', true) = 'on' THEN
          PERFORM pg_advisory_xact_lock_shared(1);
        END IF;
        PERFORM set_config('test.is_second', 'on', true);
        RETURN NEW;
      END $$;
      CREATE TRIGGER stop_batch BEFORE ${operation} ON ${table} FOR EACH ROW
        EXECUTE FUNCTION stop_batch();
      SELECT pg_advisory_lock(1)`);
  const batches = [ids, ids.toReversed()].map((order) => {
    const client = engine.$extends(
      batchedModels(
        engine,
        models,
        what === 'rows' ? { ...options, isFault: () => false } : options,
      ),
    );
    return Promise.all(
      order.map((id) =>
        what === 'rows'
          ? client.author.update({ where: { id }, data: { name: 'locked' } })
          : keyed(client, `circle ${id}`).author.create({
              data: { name: 'locked', email: `circle ${id}` },
            }),
      ),
    );
  });
  const waiting = `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await expect.poll(async () => (await holder.query(waiting)).rowCount).toBe(2);
  await holder.query(`SELECT pg_advisory_unlock(1); DROP TRIGGER stop_batch ON ${table}`);
  holder.release();
  const [first = [], second = []] = await Promise.all(batches);
  expect(second).toEqual(first.toReversed());
});

test('a create and its replay return the selected columns and relations', async () => {
  const { id, name } = await engine.author.create({ data: { name: 'Eve', email: 'eve' } });
  const { book } = under(randomUUID());
  const create = () =>
    book.create({ data: { title: 'One', authorId: id }, select: { title: true, author: true } });
  const created = { title: 'One', author: { id, name, email: 'eve' } };
  expect([await create(), await create()]).toEqual([created, created]);
  const counted = await under(randomUUID()).author.create({
    data: { name: 'Ida', email: 'ida' },
    include: { _count: true },
  });
  expect(counted).toMatchObject({ name: 'Ida', _count: { books: 0, edited: 0 } });
});

test("with an idempotency key, models that statements don't support can be read but not written", async () => {
  const { pair } = under(randomUUID());
  expect(await pair.findMany()).toEqual([]);
  expect(() => pair.create({ data: { left: 1, right: 2 } })).toThrow('pair.create can');
});

test('a row with 201 columns can be created with an idempotency key', async () => {
  const fields = ['id', ...Array.from({ length: 200 }, (_, index) => `column ${index}`)];
  const types = fields.map((field) => `"${field}" text`).join();
  await pool.query(`CREATE TABLE "Wide" (${types}, PRIMARY KEY (id))`);
  const table = createTable(
    {
      name: 'Wide',
      table: 'Wide',
      id: 'id',
      columns: fields.map((field) => ({
        field,
        column: field,
        pgType: 'text',
        isRequired: field === 'id',
      })),
      indexes: [],
      relations: [],
      rowAt: (lists, index) =>
        Object.fromEntries(fields.map((field, number) => [field, lists[number]?.[index]])),
    },
    {
      createBatcher: batcherFactory(),
      isFault: (error) => error instanceof DatabaseError,
      ...options,
    },
  );
  const write = table.encodeCreate({ id: 'first', 'column 199': 'last' });
  assert(typeof write !== 'string');
  const once = { key: { keyId: 1n, name: 'wide' }, fingerprint: '', isReplayOnly: false };
  const created = await table.write({ write, once });
  expect(created).toMatchObject({ row: { id: 'first', 'column 0': null, 'column 199': 'last' } });
  expect(await table.write({ write, once })).toEqual({ ...created, isReplay: true });
});

const KEYS = 2000;

test('a replay reads only its own idempotency key, even if it was planned when there were few keys', async () => {
  // Without plan settings, as in sessions for writes, PostgreSQL may cache a generic plan after five calls.
  const sessions = new Pool({ connectionString, max: 1 });
  try {
    const run = runOn(sessions);
    const client = engine.$extends(
      batchedModels(engine, models, { ...options, read: run, write: run }),
    );
    const create = (key: string) =>
      keyed(client, key).author.create({ data: { name: key, email: key } });
    const repeatAll = () => Promise.all(['a', 'b', 'c'].map(create));
    const first = await repeatAll();
    for (let repetition = 0; repetition < 8; repetition += 1) {
      expect(await repeatAll()).toEqual(first);
    }
    await pool.query(
      `INSERT INTO _gateway_idempotency_keys (key_id, name, model, request, "row")
      SELECT 2, n, 'Author', '{}', '{}' FROM generate_series(1, $1) AS n`,
      [KEYS],
    );
    const readSoFar = async (): Promise<number> => {
      await pool.query('SELECT pg_stat_force_next_flush()');
      const { rows } = await pool.query<{ read: number }>(
        `SELECT seq_tup_read::int AS read FROM pg_stat_user_tables WHERE relname = '_gateway_idempotency_keys'`,
      );
      return rows[0]?.read ?? 0;
    };
    const before = await readSoFar();
    expect(await repeatAll()).toEqual(first);
    expect((await readSoFar()) - before).toBeLessThan(KEYS);
  } finally {
    await sessions.end();
  }
});

test('an idempotency key that was used for a different change or operation is rejected', async () => {
  const { id } = await newAuthor();
  const other = await newAuthor();
  const updates = under(randomUUID()).author;
  await updates.update({ where: { id }, data: { name: 'after' } });
  const data = { name: 'after', email: randomUUID() };
  for (const write of [
    () => updates.update({ where: { id }, data: { name: 'else' } }),
    () => updates.update({ where: { id: other.id }, data: { name: 'after' } }),
    () => updates.update({ where: { id, name: 'after' }, data: { name: 'after' } }),
    () => updates.update({ where: { id }, data }),
    () => updates.delete({ where: { id } }),
    () => updates.create({ data }),
  ]) {
    await expect(write()).rejects.toBe(REUSED);
  }
  const creates = under(randomUUID()).author;
  await creates.create({ data });
  await expect(creates.update({ where: { id }, data: { name: 'x' } })).rejects.toBe(REUSED);
  await expect(creates.delete({ where: { id } })).rejects.toBe(REUSED);
  expect(await engine.author.findUnique({ where: { id } })).toMatchObject({ name: 'after' });
});

test('exactly one of several concurrent changes with the same idempotency key is made, even across processes', async () => {
  for (let round = 0; round < 10; round += 1) {
    const author = await newAuthor();
    const { id, email } = author;
    const where = { id, ...asRead(modelOf('Author'), author) };
    const key = randomUUID();
    const updated = await Promise.all(
      Array.from({ length: 4 }, () => processFor(key, 'same')).flatMap((client) =>
        ['one', 'other'].map((name) => client.author.update({ where, data: { name } })),
      ),
    );
    const [first] = updated;
    expect(updated).toEqual(updated.map(() => first));
    expect(first).toMatchObject({ id, email });
    expect(['one', 'other']).toContain(first?.name);
    expect(await engine.author.findUnique({ where: { id } })).toEqual(first);
  }
});

test('an idempotency key expires after a day', async () => {
  const { id } = await newAuthor();
  const key = randomUUID();
  const update = (name: string) => under(key).author.update({ where: { id }, data: { name } });
  await update('first');
  await pool.query(
    `UPDATE _gateway_idempotency_keys SET created_at = now() - interval '24:01' WHERE name = $1`,
    [key],
  );
  const gone = { where: { id, NOT: { id } }, data: { name: 'first' } };
  await expect(processFor(key, 'x').author.update(gone)).rejects.toMatchObject({ code: 'P2025' });
  expect(await update('second')).toMatchObject({ name: 'second' });
});

test('with an idempotency key, a write accepts only plain values and selections that statements support', async () => {
  const { author } = under(randomUUID());
  const where = { id: 1 };
  await expect(author.update({ where, data: { id: { increment: 1 } } })).rejects.toThrow(
    "Author can't be updated under an idempotency key, because of id",
  );
  await expect(author.delete({ where, include: { _count: true } })).rejects.toThrow(
    "Author can't be deleted under an idempotency key, because of its selection",
  );
  await expect(author.delete({ where: { email: 'x' } })).rejects.toThrow('because of where');
  const nested = { name: 'x', email: 'y', books: { create: { title: 'nested' } } };
  await expect(author.create({ data: nested })).rejects.toThrow('because of books');
});

test('with an idempotency key, an update that changes no columns returns the row', async () => {
  const created = await engine.defaulted.create({ data: {} });
  const { defaulted } = under(randomUUID());
  const update = () => defaulted.update({ where: { id: created.id }, data: {} });
  expect([await update(), await update()]).toStrictEqual([created, created]);
});

test('a replay treats omitted columns like null, and a key that was used for a different model is rejected', async () => {
  const { everything, defaulted } = under(randomUUID());
  const created = await everything.create({ data: ORDINARY });
  const data = { ...ORDINARY, intOrNull: null, dateOrNull: null, jsonOrNull: Prisma.DbNull };
  expect(await everything.create({ data })).toEqual(created);
  await expect(defaulted.create({ data: { price: new Prisma.Decimal(1) } })).rejects.toBe(REUSED);
});

test('a replay returns generated values, and is rejected if it passes different values for them', async () => {
  const { defaulted } = under(randomUUID());
  const data = { price: new Prisma.Decimal('1.50') };
  const created = await defaulted.create({ data });
  expect(created).toEqual(await engine.defaulted.findUnique({ where: { id: created.id } }));
  // In UTC, regardless of the session's time zone.
  expect(Math.abs(created.createdAt.getTime() - Date.now())).toBeLessThan(1_800_000);
  expect(await defaulted.create({ data: { ...data, number: 7, level: 'low' } })).toEqual(created);
  for (const other of [{ number: 8 }, { id: randomUUID() }, { createdAt: created.createdAt }]) {
    await expect(defaulted.create({ data: { ...data, ...other } })).rejects.toBe(REUSED);
  }
});

test('repeated creates without any values make only one row per idempotency key', async () => {
  const { allDefaults } = under(randomUUID());
  const created = await allDefaults.create({ data: {} });
  expect(created).toEqual(await engine.allDefaults.findUnique({ where: { id: created.id } }));
  expect(await allDefaults.create({ data: {} })).toEqual(created);
  expect(await allDefaults.create({ data: { float: 1.5, json: { a: null } } })).toEqual(created);
  await expect(allDefaults.create({ data: { float: 1 } })).rejects.toBe(REUSED);
  await expect(allDefaults.create({ data: { createdAt: null } })).rejects.toThrow('createdAt');
});

test('a replay matches if it passes decimals and dates as objects instead of strings', async () => {
  const { defaulted } = under(randomUUID());
  const createdAt = '2024-02-29T23:59:59.999Z';
  const created = await defaulted.create({ data: { price: '1.50', createdAt } });
  const data = { price: new Prisma.Decimal('1.5'), createdAt: new Date(createdAt) };
  expect(await defaulted.create({ data })).toEqual(created);
});

test("replays compare timestamps in arrays in UTC, regardless of the session's time zone", async () => {
  const { everything } = under('moments');
  const data = { ...ORDINARY, dateTimes: [new Date('2026-11-22T23:00:00.5Z'), new Date(0)] };
  const created = await everything.create({ data });
  expect(await everything.create({ data })).toEqual(created);
  const { rows } = await pool.query(
    `SELECT request -> 'dateTimes' AS moments FROM _gateway_idempotency_keys WHERE name = 'moments'`,
  );
  expect(rows).toEqual([{ moments: ['2026-11-22T23:00:00.5Z', '1970-01-01T00:00:00Z'] }]);
});

test("a replay of a create that predates a column's constant default matches that default", async () => {
  const { defaulted } = under('default since');
  const created = await defaulted.create({ data: { flag: false } });
  await pool.query(
    `UPDATE _gateway_idempotency_keys SET request = request - 'number' WHERE name = 'default since'`,
  );
  expect(await defaulted.create({ data: { flag: false } })).toEqual(created);
  await expect(defaulted.create({ data: { flag: false, number: 8 } })).rejects.toBe(REUSED);
});

test("a replay of a create that predates a column returns the column's current value", async () => {
  const { author } = under('added since');
  const { id } = await author.create({ data: { name: 'Old', email: 'old' } });
  await pool.query(
    `UPDATE _gateway_idempotency_keys SET "row" = "row" - 'email' WHERE name = 'added since'`,
  );
  expect(await author.create({ data: { name: 'Old', email: 'old' } })).toMatchObject({
    id,
    email: 'old',
  });
});

test.each([
  ['has a value that its enum no longer has', `"row" || '{"level": "LOST"}'`],
  ['lacks a column that is now required', `"row" - 'int'`],
])(
  'a replay of a removed row fails with missingRowError if the stored row %s',
  async (_what, row) => {
    const name = randomUUID();
    const create = () => under(name).everything.create({ data: ORDINARY });
    const { id } = await create();
    await engine.everything.delete({ where: { id } });
    await pool.query(`UPDATE _gateway_idempotency_keys SET "row" = ${row} WHERE name = $1`, [name]);
    const [gone, other] = await Promise.allSettled([
      create(),
      under(randomUUID()).everything.create({ data: ORDINARY }),
    ]);
    expect(gone).toEqual({ status: 'rejected', reason: REMOVED });
    expect(other.status).toBe('fulfilled');
  },
);
