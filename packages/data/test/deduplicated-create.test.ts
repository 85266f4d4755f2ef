import { batcherFactory } from '@store-gateway/ops';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { DatabaseError } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { batchedModels } from '../src/batched-models.ts';
import { deduplicatingClient } from '../src/once.ts';
import { createTable } from '../src/table.ts';
import { openClients, REMOVED, REUSED } from './clients.ts';
import { models } from './generated/batched-models.ts';

const { engine, under, pool, options, answeredBy, close } = await openClients();
afterAll(close);

test('of many at once under few keys each key has one row, in one statement and one more', async () => {
  answeredBy.length = 0;
  const keys = Array.from({ length: 30 }, (_, index) => `many ${index % 3}`);
  const rows = await Promise.all(
    keys.map((key) => under(key).author.create({ data: { name: key, email: key } })),
  );
  expect(rows.map(({ name }) => name)).toEqual(keys);
  expect(await engine.author.count({ where: { name: { in: keys } } })).toBe(3);
  expect(answeredBy.slice(0, 2)).toEqual(['Author.createAllOnce', 'Author.findCreated']);
});

test('batches of the same keys never wait for each other in a circle', async () => {
  // A batch stops before its second key, as long as the test holds the lock.
  const holder = await pool.connect();
  await holder.query(`
    CREATE FUNCTION stop_batch() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF current_setting('test.is_second', true) = 'on' THEN
        PERFORM pg_advisory_xact_lock_shared(1);
      END IF;
      PERFORM set_config('test.is_second', 'on', true);
      RETURN NEW;
    END $$;
    CREATE TRIGGER stop_batch BEFORE INSERT ON _gateway_idempotency_keys FOR EACH ROW
      EXECUTE FUNCTION stop_batch();
    SELECT pg_advisory_lock(1)`);
  const creates = [
    ['one', 'other'],
    ['other', 'one'],
  ].map((keys) => {
    const client = engine.$extends(batchedModels(engine, models, options));
    return Promise.all(
      keys.map((name) =>
        deduplicatingClient(client, {
          nextKey: () => ({ keyId: 3n, name }),
          reusedError: () => REUSED,
          goneError: () => REMOVED,
        }).author.create({ data: { name, email: `${name}@circle` } }),
      ),
    );
  });
  const waiting = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await expect.poll(async () => (await holder.query(waiting)).rowCount).toBe(2);
  await holder.query(
    'SELECT pg_advisory_unlock(1); DROP TRIGGER stop_batch ON _gateway_idempotency_keys',
  );
  holder.release();
  const [first = [], second = []] = await Promise.all(creates);
  expect(second).toEqual(first.toReversed());
});

test('one that the database refuses fails alone, and takes no key', async () => {
  await under('first').author.create({ data: { name: 'first', email: 'taken' } });
  const emails = ['free', 'taken', 'free too'];
  const create = (email: string) => under(email).author.create({ data: { name: 'x', email } });
  const results = await Promise.allSettled(emails.map(create));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await engine.author.delete({ where: { email: 'taken' } });
  expect(await create('taken')).toMatchObject({ email: 'taken' });
});

test('what the database refuses has the error that Prisma has for it', async () => {
  await engine.author.create({ data: { name: 'x', email: 'of another' } });
  const data = { name: 'x', email: 'of another' };
  const [own, keyed] = await Promise.allSettled([
    engine.author.create({ data }),
    under('refused').author.create({ data }),
  ]);
  assert(own.status === 'rejected' && keyed.status === 'rejected');
  expect(keyed.reason).toMatchObject({ name: 'PrismaClientKnownRequestError', code: 'P2002' });
  expect(keyed.reason).toHaveProperty('meta', expect.objectContaining({ modelName: 'Author' }));
  expect(own.reason).toHaveProperty('code', 'P2002');
});

test('a key is forgotten after a day, and each caller has its own', async () => {
  const data = { name: 'Ada', email: 'ada' };
  const first = await under('a day').author.create({ data });
  await pool.query(`UPDATE _gateway_idempotency_keys SET created_at = now() - interval '24:01'`);
  const second = await under('a day').author.create({ data: { ...data, email: 'ada 2' } });
  const theirs = await under('a day', 2n).author.create({ data: { ...data, email: 'ada 3' } });
  expect(new Set([first.id, second.id, theirs.id]).size).toBe(3);
});

test('what is selected is given, relations included, the first time and again', async () => {
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

test('under a key nothing can be done that would be done twice', async () => {
  const client = under(randomUUID());
  expect(await client.author.count({ where: { name: 'nobody' } })).toBe(0);
  expect(() => client.author.deleteMany()).toThrow('author.deleteMany can');
  expect(() => client.$transaction([])).toThrow('$transaction can');
  const data = { name: 'x', email: 'y', books: { create: { title: 'nested' } } };
  await expect(client.author.create({ data })).rejects.toThrow('because of books');
});

test('models that statements do not know can be read under a key', async () => {
  const { pair } = under(randomUUID());
  expect(await pair.findMany()).toEqual([]);
  expect(() => pair.create({ data: { left: 1, right: 2 } })).toThrow('pair.create can');
});

test('a row has as many columns as it likes', async () => {
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
