import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { batcherFactory } from '@store-gateway/ops';
import { asRead } from '../src/conditions.ts';
import { batchedModels } from '../src/batched-models.ts';
import { deduplicatingClient } from '../src/once.ts';
import { modelOf, openClients, REMOVED, REUSED } from './clients.ts';
import { models } from './generated/batched-models.ts';

const { engine, under, pool, options, answeredBy, close } = await openClients();
afterAll(close);

const newAuthor = () => engine.author.create({ data: { name: 'before', email: randomUUID() } });

/** As another process, for requests with the same arguments. */
const processFor = (key: string, request: string) =>
  deduplicatingClient(
    engine.$extends(batchedModels(engine, models, { ...options, createBatcher: batcherFactory() })),
    {
      nextKey: () => ({ keyId: 1n, name: key }),
      reusedError: () => REUSED,
      goneError: () => REMOVED,
      request: () => request,
    },
  );

const keysNamed = async (name: string) => {
  const { rows } = await pool.query('SELECT FROM _gateway_idempotency_keys WHERE name = $1', [
    name,
  ]);
  return rows.length;
};

test('an update is made once, and answered alike ever after', async () => {
  const { id, email } = await newAuthor();
  const { author } = under(randomUUID());
  const update = () => author.update({ where: { id }, data: { name: 'after' } });
  answeredBy.length = 0;
  const updated = await update();
  expect(updated).toStrictEqual({ id, name: 'after', email });
  expect(answeredBy).toEqual(['Author.updateAllOnce']);
  await engine.author.update({ where: { id }, data: { name: 'later' } });
  expect(await update()).toStrictEqual(updated);
  expect(await engine.author.findUnique({ where: { id } })).toMatchObject({ name: 'later' });
  await engine.author.delete({ where: { id } });
  expect(await update()).toStrictEqual(updated);
});

test('a delete is made once, and answered with the row as it was', async () => {
  const { id, email } = await newAuthor();
  const { author } = under(randomUUID());
  const remove = () => author.delete({ where: { id }, select: { email: true } });
  expect([await remove(), await remove()]).toStrictEqual([{ email }, { email }]);
  await engine.author.create({ data: { id, name: 'new', email: randomUUID() } });
  expect(await remove()).toStrictEqual({ email });
  expect(await engine.author.count({ where: { id } })).toBe(1);
});

test('a key is of one request: another change or another operation is refused', async () => {
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

test('a change of a row that is not there, or under conditions that do not hold, takes no key', async () => {
  const { id } = await newAuthor();
  const key = randomUUID();
  const { author } = under(key);
  const data = { name: 'after' };
  for (const where of [{ id: -1 }, { id, name: 'other' }, { id, NOT: { id } }]) {
    await expect(author.update({ where, data })).rejects.toMatchObject({ code: 'P2025' });
    await expect(author.delete({ where })).rejects.toMatchObject({ code: 'P2025' });
  }
  expect(await keysNamed(key)).toBe(0);
  expect(await author.update({ where: { id }, data })).toMatchObject(data);
});

test('a change that the database refuses fails alone with Prisma’s error, and takes no key', async () => {
  const [first, second, taken] = await Promise.all([newAuthor(), newAuthor(), newAuthor()]);
  const key = randomUUID();
  const free = randomUUID();
  const outcomes = await Promise.allSettled([
    under(key).author.update({ where: { id: first.id }, data: { email: taken.email } }),
    under(randomUUID()).author.update({ where: { id: second.id }, data: { email: free } }),
  ]);
  expect(outcomes).toMatchObject([{ reason: { code: 'P2002' } }, { value: { email: free } }]);
  expect(await keysNamed(key)).toBe(0);
});

test('of many at once under one key one is made, whichever process gets them', async () => {
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

test('what a request says counts in place of the change, whose conditions may no longer hold', async () => {
  const author = await newAuthor();
  const { id } = author;
  const key = randomUUID();
  const data = { name: 'after' };
  const where = { id, ...asRead(modelOf('Author'), author) };
  const updated = await processFor(key, 'first').author.update({ where, data });
  const again = processFor(key, 'first').author;
  expect(await again.update({ where, data })).toStrictEqual(updated);
  expect(await again.update({ where: { id, NOT: { id } }, data })).toStrictEqual(updated);
  await expect(processFor(key, 'second').author.update({ where: { id }, data })).rejects.toBe(
    REUSED,
  );
});

test('a key is forgotten after a day', async () => {
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

test('under a key a row is changed by plain values only, and as statements can read it', async () => {
  const { author } = under(randomUUID());
  const where = { id: 1 };
  await expect(author.update({ where, data: { id: { increment: 1 } } })).rejects.toThrow(
    "Author can't be updated under an idempotency key, because of id",
  );
  await expect(author.delete({ where, include: { _count: true } })).rejects.toThrow(
    "Author can't be deleted under an idempotency key, because of its selection",
  );
  await expect(author.delete({ where: { email: 'x' } })).rejects.toThrow('because of where');
});

test('a patch of nothing is answered with the row, once as well', async () => {
  const created = await engine.defaulted.create({ data: {} });
  const { defaulted } = under(randomUUID());
  const update = () => defaulted.update({ where: { id: created.id }, data: {} });
  expect([await update(), await update()]).toStrictEqual([created, created]);
});
