import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { deduplicatingClient } from '../src/deduplicating-client.ts';
import { openClients } from './clients.ts';
import { Prisma } from './generated/client.ts';

const { engine, batched, pool, answeredBy, close } = await openClients();
afterAll(close);
await pool.query(`
  CREATE TABLE idempotency_keys (key_id bigint, name text, model text, request jsonb, "row" jsonb,
    created_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (key_id, name))`);

const REUSED = new Error('reused');

/** The client under a key: each create is made as if it were the first of a request. */
const under = (name: string, keyId = 1n) =>
  deduplicatingClient(batched, { nextKey: () => ({ keyId, name }), reusedError: () => REUSED });

const REQUIRED = {
  bigInt: 2n ** 63n - 1n,
  int: -1,
  float: 0.1,
  decimal: new Prisma.Decimal('12345678901234567890.123456789'),
  string: `it's "quoted" \\ {1,NULL} 🐕`,
  boolean: false,
  dateTime: new Date('2024-02-29T23:59:59.999Z'),
  json: { nested: [null, { a: null }, 'x', 1.5] },
  bytes: new Uint8Array([0, 255, 92]),
  level: 'low',
} as const satisfies Prisma.EverythingCreateInput;

const FULL = {
  ...REQUIRED,
  bigIntOrNull: -(2n ** 63n),
  intOrNull: 32767,
  floatOrNull: 1e300,
  decimalOrNull: new Prisma.Decimal('0.00001'),
  stringOrNull: '',
  uuidOrNull: randomUUID(),
  booleanOrNull: true,
  dateTimeOrNull: new Date('0001-01-02T00:00:00.001Z'),
  dateOrNull: new Date('2024-02-29'),
  jsonOrNull: ['text', true],
  bytesOrNull: new Uint8Array(),
  levelOrNull: 'high',
} as const satisfies Prisma.EverythingCreateInput;

/** Another value of each column. */
const OTHERS: Partial<Prisma.EverythingCreateInput>[] = [
  { bigInt: FULL.bigInt - 1n },
  { bigIntOrNull: null },
  { int: 0 },
  { float: 0.2 },
  { decimal: new Prisma.Decimal('12345678901234567890.123456788') },
  { string: `${FULL.string} ` },
  { stringOrNull: null },
  { boolean: true },
  { dateTime: new Date('2024-02-29T23:59:59.998Z') },
  { dateOrNull: new Date('2024-03-01') },
  { json: { nested: [null, {}, 'x', 1.5] } },
  { jsonOrNull: Prisma.DbNull },
  { bytes: new Uint8Array([0, 255]) },
  { level: 'high' },
];

test.each([
  ['values in every column', FULL],
  ['nulls', REQUIRED],
])('a row with %s is created once, and repeated exactly', async (_what, data) => {
  const { everything } = under(randomUUID());
  const created = await everything.create({ data });
  expect(created).toEqual(await engine.everything.findUnique({ where: { id: created.id } }));
  // The first answer, whatever has become of the row since.
  await engine.everything.delete({ where: { id: created.id } });
  expect(await everything.create({ data })).toEqual(created);
  expect(await engine.everything.count({ where: { id: { gte: created.id } } })).toBe(0);
});

test.each(OTHERS)('a request with another value is refused: %o', async (other) => {
  const { everything } = under(randomUUID());
  await everything.create({ data: FULL });
  await expect(everything.create({ data: { ...FULL, ...other } })).rejects.toBe(REUSED);
});

test('a column that is left out is as good as null, and a key is of one model', async () => {
  const { everything, defaulted } = under(randomUUID());
  const created = await everything.create({ data: REQUIRED });
  const data = { ...REQUIRED, intOrNull: null, dateOrNull: null, jsonOrNull: Prisma.DbNull };
  expect(await everything.create({ data })).toEqual(created);
  await expect(defaulted.create({ data: { price: new Prisma.Decimal(1) } })).rejects.toBe(REUSED);
});

test('what is generated is repeated, and what a request gives in its place is compared', async () => {
  const { defaulted } = under(randomUUID());
  const data = { price: new Prisma.Decimal('1.50') };
  const created = await defaulted.create({ data });
  expect(created).toEqual(await engine.defaulted.findUnique({ where: { id: created.id } }));
  // In UTC, whatever the session's time zone is.
  expect(Math.abs(created.createdAt.getTime() - Date.now())).toBeLessThan(1_800_000);
  expect(await defaulted.create({ data: { ...data, number: 7, level: 'low' } })).toEqual(created);
  for (const other of [{ number: 8 }, { id: randomUUID() }, { createdAt: created.createdAt }]) {
    await expect(defaulted.create({ data: { ...data, ...other } })).rejects.toBe(REUSED);
  }
});

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

test('one that the database refuses fails alone, and takes no key', async () => {
  await under('first').author.create({ data: { name: 'first', email: 'taken' } });
  const emails = ['free', 'taken', 'free too'];
  const create = (email: string) => under(email).author.create({ data: { name: 'x', email } });
  const results = await Promise.allSettled(emails.map(create));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await engine.author.delete({ where: { email: 'taken' } });
  expect(await create('taken')).toMatchObject({ email: 'taken' });
});

test('a key is forgotten after a day, and each caller has its own', async () => {
  const data = { name: 'Ada', email: 'ada' };
  const first = await under('a day').author.create({ data });
  await pool.query(`UPDATE idempotency_keys SET created_at = now() - interval '24:01'`);
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
  await expect(client.author.create({ data })).rejects.toThrow('sets columns alone, not books');
});

test('a column that has been added since is as the table has it', async () => {
  const { author } = under('added since');
  const { id } = await author.create({ data: { name: 'Old', email: 'old' } });
  await pool.query(
    `UPDATE idempotency_keys SET "row" = "row" - 'email' WHERE name = 'added since'`,
  );
  expect(await author.create({ data: { name: 'Old', email: 'old' } })).toMatchObject({
    id,
    email: 'old',
  });
});
