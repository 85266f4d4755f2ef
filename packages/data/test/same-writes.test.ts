import { randomUUID } from 'node:crypto';
import {
  assert,
  asyncProperty,
  array,
  bigInt,
  boolean,
  constant,
  constantFrom,
  date,
  dictionary,
  double,
  integer,
  letrec,
  oneof,
  record,
  string,
  tuple,
  uint8Array,
  uuid,
  type Arbitrary,
} from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter, propertyRuns } from '../../../test/support/property-runs.ts';
import { asRead } from '../src/conditions.ts';
import { modelOf, openClients, REUSED, testClients } from './clients.ts';
import { Level, Prisma } from './generated/client.ts';

const { engine, batched, under, answeredBy } = await openClients();

const Everything = modelOf('Everything');

const int64 = bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const text = string({ unit: anyCharacter }).filter((value) => !value.includes('\0'));
// For a double with more than 15 digits, the engine stores a different double.
const anyDouble = double({ noNaN: true, noDefaultInfinity: true })
  .map((value) => Number(value.toPrecision(15)))
  .filter(Number.isFinite);
const decimal = tuple(int64, integer({ min: 0, max: 25 })).map(
  ([digits, places]) => new Prisma.Decimal(`${digits}e-${places}`),
);
const shortDecimal = integer({ min: -1_000_000_000, max: 1_000_000_000 }).map(
  (digits) => new Prisma.Decimal(`${digits}e-5`),
);
const anyDate = date({
  min: new Date('0001-01-02T00:00:00Z'),
  max: new Date('9999-12-30T00:00:00Z'),
  noInvalidDate: true,
});
const bytes = uint8Array({ maxLength: 100 }).map((value) => new Uint8Array(value));
const level = constantFrom(Level.low, Level.high);
const jsonText = string().filter((value) => !value.includes('\0'));
// The engine drops a member with this name.
const jsonKey = jsonText.filter((value) => value !== '__proto__');
const { json } = letrec<{ json: Prisma.InputJsonValue }>((tie) => ({
  json: oneof(
    { maxDepth: 3 },
    jsonText,
    boolean(),
    anyDouble,
    integer(),
    array(tie('json'), { maxLength: 3 }),
    dictionary(jsonKey, tie('json'), { maxKeys: 3 }),
  ),
}));
const or = <Value, Other>(value: Arbitrary<Value>, other: Other) => oneof(value, constant(other));

const columns = {
  bigInt: int64,
  bigIntOrNull: or(int64, null),
  int: integer(),
  intOrNull: or(integer({ min: -32768, max: 32767 }), null),
  float: anyDouble,
  floatOrNull: or(anyDouble, null),
  decimal,
  decimalOrNull: or(shortDecimal, null),
  string: text,
  stringOrNull: or(
    string({ maxLength: 40 }).filter((value) => !value.includes('\0')),
    null,
  ),
  uuidOrNull: or(uuid(), null),
  boolean: boolean(),
  booleanOrNull: or(boolean(), null),
  dateTime: anyDate,
  dateTimeOrNull: or(anyDate, null),
  dateOrNull: or(anyDate, null),
  json: or(json, Prisma.JsonNull),
  jsonOrNull: or(or(json, Prisma.JsonNull), Prisma.DbNull),
  bytes,
  bytesOrNull: or(bytes, null),
  level,
  levelOrNull: or(level, null),
  strings: array(text),
  ints: array(integer({ min: -32768, max: 32767 })),
  bigInts: array(int64),
  floats: array(anyDouble),
  decimals: array(decimal),
  booleans: array(boolean()),
  dateTimes: array(anyDate),
  jsons: array(json),
  blobs: array(bytes),
  levels: array(level),
};

/** Values for creating a row of Everything. */
const everything = record(columns, {
  requiredKeys: [
    'bigInt',
    'int',
    'float',
    'decimal',
    'string',
    'boolean',
    'dateTime',
    'json',
    'bytes',
    'level',
  ],
});

/** Values for updating any subset of its columns. */
const someOfEverything = record(columns, { requiredKeys: [] });

test("statements create, read, change and delete rows like Prisma's engine, even with idempotency keys", async () => {
  await assert(
    asyncProperty(everything, someOfEverything, boolean(), async (data, changed, isBoth) => {
      const created = await engine.everything.create({ data });
      const { id } = created;
      answeredBy.length = 0;
      const byStatement = await batched.everything.create({ data });
      expect(answeredBy).toEqual(['Everything.createAll']);
      const key = randomUUID();
      const once = await under(key).everything.create({ data });
      expect(await under(key).everything.create({ data })).toStrictEqual(once);
      for (const row of [byStatement, once]) {
        expect({ ...row, id }).toStrictEqual(created);
        const found = await batched.everything.findUnique({ where: { id: row.id } });
        expect(found).toStrictEqual(await engine.everything.findUnique({ where: { id: row.id } }));
      }
      for (const [order, condition] of [
        ['asc', { gt: id - 1n }],
        ['desc', { lt: byStatement.id }],
      ] as const) {
        const where = { level: data.level, id: condition };
        const page = { where, orderBy: { id: order }, take: 5 } as const;
        expect(await batched.everything.findMany(page)).toStrictEqual(
          await engine.everything.findMany(page),
        );
      }

      const updated = await engine.everything.update({ where: { id }, data: changed });
      for (const [row, updates, removals] of [
        [byStatement, batched, batched],
        [once, under(randomUUID()), under(randomUUID())],
      ] as const) {
        const isKeyed = row === once;
        const condition = isKeyed || isBoth ? asRead(Everything, row) : {};
        const change = { where: { id: row.id, ...condition }, data: changed };
        answeredBy.length = 0;
        const own = await updates.everything.update(change);
        const isOfEngine = !isKeyed && Object.keys(changed).length === 0;
        expect(answeredBy.includes('engine: Everything.update')).toBe(isOfEngine);
        expect({ ...own, id }).toStrictEqual(updated);
        expect(await engine.everything.findUnique({ where: { id: row.id } })).toStrictEqual(own);
        const remove = { where: { id: row.id, ...asRead(Everything, own) } };
        expect(await removals.everything.delete(remove)).toStrictEqual(own);
        const replays = isKeyed
          ? [await removals.everything.delete(remove), await updates.everything.update(change)]
          : [];
        expect(replays).toStrictEqual(replays.map(() => own));
      }
    }),
    propertyRuns(100),
  );
});

test('asRead conditions match a row, and idempotency keys a request, only until any column changes', async () => {
  await assert(
    asyncProperty(everything, someOfEverything, async (data, changed) => {
      const { id } = await engine.everything.create({ data });
      const read = await batched.everything.findUniqueOrThrow({ where: { id } });
      await engine.everything.update({ where: { id }, data: changed });
      const present = await batched.everything.findUniqueOrThrow({ where: { id } });
      const isSame = JSON.stringify(present, texts) === JSON.stringify(read, texts);
      const where = { id, ...asRead(Everything, read) };
      const [outcome] = await Promise.allSettled([batched.everything.delete({ where })]);
      expect(outcome).toMatchObject(isSame ? { value: { id } } : { reason: { code: 'P2025' } });
      const once = under(randomUUID());
      const created = await once.everything.create({ data });
      const [again] = await Promise.allSettled([
        once.everything.create({ data: { ...data, ...changed } }),
      ]);
      expect(again).toEqual(
        isSame ? { status: 'fulfilled', value: created } : { status: 'rejected', reason: REUSED },
      );
    }),
    propertyRuns(100),
  );
});

function texts(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

test("statements generate the same defaults as Prisma's engine", async () => {
  const row = await engine.defaulted.create({ data: {} });
  const own = await batched.defaulted.create({ data: {} });
  expect(answeredBy.at(-1)).toBe('Defaulted.createAll');
  const { id, createdAt, updatedAt } = row;
  expect({ ...own, id, createdAt, updatedAt }).toStrictEqual(row);
  expect(own.id).toMatch(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
  expect(own.createdAt).toEqual(own.updatedAt);
  expect(own).toStrictEqual(await engine.defaulted.findUnique({ where: { id: own.id } }));
});

test('statements generate every kind of default for a row that is created without values', async () => {
  const byEngine = await engine.allDefaults.create({ data: {} });
  const own = await batched.allDefaults.create({ data: {} });
  expect(answeredBy.at(-1)).toBe('AllDefaults.createAll');
  const { id, serial, createdAt } = byEngine;
  expect({ ...own, id, serial, createdAt }).toStrictEqual(byEngine);
  expect(own.serial).toBe(serial + 1);
  expect(own.createdAt).toBeInstanceOf(Date);
  // Null is a value of a nullable column, so no default is generated for it.
  const withNull = await batched.allDefaults.create({ data: { createdAt: null } });
  expect(withNull).toMatchObject({ createdAt: null });
});

test('reading an enum value that was added later works, and does not fail other reads in the batch', async () => {
  const { engine: other, batched: client, pool } = await testClients();
  const known = await other.defaulted.create({ data: {} });
  const unknown = await other.defaulted.create({ data: {} });
  await pool.query(`ALTER TYPE level_type ADD VALUE 'newer'`);
  await pool.query(`UPDATE "Defaulted" SET level = 'newer' WHERE id = $1`, [unknown.id]);
  const found = await Promise.all(
    [known, unknown].map(({ id }) => client.defaulted.findUnique({ where: { id } })),
  );
  expect(found).toEqual([known, { ...unknown, level: 'newer' }]);
});
