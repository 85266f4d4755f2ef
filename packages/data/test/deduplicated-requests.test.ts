import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { openClients, REMOVED, REUSED } from './clients.ts';
import { Prisma } from './generated/client.ts';

const { engine, under, pool, close } = await openClients();
afterAll(close);

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

test('a row of which nothing is given is created once', async () => {
  const { allDefaults } = under(randomUUID());
  const created = await allDefaults.create({ data: {} });
  expect(created).toEqual(await engine.allDefaults.findUnique({ where: { id: created.id } }));
  expect(await allDefaults.create({ data: {} })).toEqual(created);
  expect(await allDefaults.create({ data: { float: 1.5, json: { a: null } } })).toEqual(created);
  await expect(allDefaults.create({ data: { float: 1 } })).rejects.toBe(REUSED);
  await expect(allDefaults.create({ data: { createdAt: null } })).rejects.toThrow('createdAt');
});

test('decimals and dates are the same as texts', async () => {
  const { defaulted } = under(randomUUID());
  const createdAt = '2024-02-29T23:59:59.999Z';
  const created = await defaulted.create({ data: { price: '1.50', createdAt } });
  const data = { price: new Prisma.Decimal('1.5'), createdAt: new Date(createdAt) };
  expect(await defaulted.create({ data })).toEqual(created);
});

test('moments in lists are compared in UTC, whatever the session’s time zone is', async () => {
  const { everything } = under('moments');
  const data = { ...REQUIRED, dateTimes: [new Date('2026-11-22T23:00:00.5Z'), new Date(0)] };
  const created = await everything.create({ data });
  expect(await everything.create({ data })).toEqual(created);
  const { rows } = await pool.query(
    `SELECT request -> 'dateTimes' AS moments FROM _gateway_idempotency_keys WHERE name = 'moments'`,
  );
  expect(rows).toEqual([{ moments: ['2026-11-22T23:00:00.5Z', '1970-01-01T00:00:00Z'] }]);
});

test('a constant default that has been added since was given by all', async () => {
  const { defaulted } = under('default since');
  const created = await defaulted.create({ data: { flag: false } });
  await pool.query(
    `UPDATE _gateway_idempotency_keys SET request = request - 'number' WHERE name = 'default since'`,
  );
  expect(await defaulted.create({ data: { flag: false } })).toEqual(created);
  await expect(defaulted.create({ data: { flag: false, number: 8 } })).rejects.toBe(REUSED);
});

test('a column that has been added since is as the table has it', async () => {
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
  ['has a value that its type has no more', `"row" || '{"level": "LOST"}'`],
  ['lacks a column that is required since', `"row" - 'int'`],
])('what was created as a row that %s is gone with it', async (_what, row) => {
  const name = randomUUID();
  const create = () => under(name).everything.create({ data: REQUIRED });
  const { id } = await create();
  await engine.everything.delete({ where: { id } });
  await pool.query(`UPDATE _gateway_idempotency_keys SET "row" = ${row} WHERE name = $1`, [name]);
  const [gone, other] = await Promise.allSettled([
    create(),
    under(randomUUID()).everything.create({ data: REQUIRED }),
  ]);
  expect(gone).toEqual({ status: 'rejected', reason: REMOVED });
  expect(other.status).toBe('fulfilled');
});
