import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  onTestFinished,
  test,
} from 'vitest';
import { asRead } from '../src/conditions.ts';
import { typeOf } from '../src/column-types.ts';
import { columnOf } from '../src/model.ts';
import {
  CONSTRAINTS,
  MISSES,
  MORE_CONSTRAINTS,
  MORE_VIOLATIONS,
  openBoth,
  ROWS,
  VIOLATIONS,
  type Call,
} from './both-clients.ts';
import { modelOf } from './clients.ts';
import { COLUMN_VALUES, EXACT_FLOATS, IDS, ORDINARY, STORED_BY_SQL } from './column-values.ts';

/* For calls that both can run, statements return the same results as Prisma's engine, and leave the same rows. */

const DATABASES = [
  { what: 'the usual settings', way: 'together', settings: {}, database: {} },
  {
    what: 'other settings, a different text order, and idempotency keys',
    // On Citus, the request stored with a key has numbers before they are rounded, and texts before they are truncated.
    way: inject('isSharded') ? 'together' : 'under keys',
    settings: {
      TimeZone: 'Asia/Kolkata',
      DateStyle: 'SQL,DMY',
      IntervalStyle: 'sql_standard',
      bytea_output: 'escape',
      extra_float_digits: '3',
      transform_null_equals: 'on',
    },
    // On Citus, only databases created from the default template have the extension.
    database: inject('isSharded')
      ? {}
      : { template: 'template0', locale: `LOCALE_PROVIDER icu ICU_LOCALE 'sv'` },
  },
  {
    what: 'serializable transactions of one call each',
    way: 'alone',
    settings: {
      TimeZone: 'America/St_Johns',
      DateStyle: 'German',
      default_transaction_isolation: 'serializable',
    },
    database: {},
  },
] as const;

const Everything = modelOf('Everything');

const every = (operation: string, args: object): Call => ['everything', operation, args];

describe.each(DATABASES)('on a database with $what', ({ way, settings, database }) => {
  let both: Awaited<ReturnType<typeof openBoth>>;
  beforeAll(async () => {
    both = await openBoth(way, settings, database);
  });
  afterAll(() => both.close());
  // A failed test may have left rows.
  beforeEach(() => both.query('DELETE FROM "every thing"'));
  let lastId = 0n;

  test.each(Object.entries(COLUMN_VALUES))(
    "statements store, compare and reject values of %s like Prisma's engine",
    async (field, { stored, refused = [], judged: all }) => {
      // The engine handles these values alike on all of the databases, so one is enough.
      const judged = way === 'together' ? all : [];
      const { expectSame, takeRows } = both;
      const create = (others: object): Call =>
        every('create', { data: { ...ORDINARY, id: (lastId += 1n), ...others } });
      const rows = stored.map((value) => ({ id: (lastId += 1n), value }));
      await expectSame(
        rows.map(({ id, value }) => create({ id, [field]: value })),
        'statements',
      );
      const creates = (values: readonly unknown[]) =>
        values.map((value) => create({ [field]: value }));
      await expectSame(creates(refused), 'statements');
      await expectSame(creates(judged), 'engine');

      const plain = { id: (lastId += 1n) };
      const given = stored.filter((value) => value !== undefined);
      const changed = [...given, ...refused].map((value) => ({ id: (lastId += 1n), value }));
      await expectSame(
        [plain, ...changed].map(({ id }) => create({ id })),
        'statements',
      );
      const update = (id: bigint, value: unknown) =>
        every('update', { where: { id }, data: { [field]: value } });
      await expectSame(
        changed.map(({ id, value }) => update(id, value)),
        'statements',
      );
      // The engine also runs an update that changes nothing.
      await expectSame(
        judged.map((value) => update(plain.id, value)),
        'engine',
      );

      await expectSame(
        [
          ...rows.map(({ id }) => every('findUnique', { where: { id } })),
          ...['asc', 'desc'].map((id) => every('findMany', { orderBy: { id }, take: 999 })),
        ],
        'statements',
      );
      await expectSame(
        given.flatMap((value) => comparisons(field, value, plain.id)),
        'statements',
      );
      if (isCompared(field)) {
        const where = rows.map(({ id, value }) => ({ id, [field]: value }));
        const missing = where.map((each) => ({ ...each, boolean: false }));
        const data = { boolean: false };
        for (const calls of [
          missing.map((each) => every('update', { where: each, data })),
          where.map((each) => every('update', { where: each, data })),
          where.map((each) => every('delete', { where: each })),
        ]) {
          await expectSame(calls, 'statements');
        }
        const others = judged.filter((value) => value !== null && value !== undefined);
        await expectSame(
          others.map((value) => every('findUnique', { where: { ...plain, [field]: value } })),
          'engine',
        );
      }
      const [own, other] = await takeRows('every thing');
      expect(own).toEqual(other);
    },
  );

  test.each(Object.entries(STORED_BY_SQL))(
    "statements read values of %s that only SQL can write as Prisma's engine does, and find rows by them",
    async (column, values) => {
      const { ours, expectSame, takeRows, query } = both;
      for (const value of values) {
        const id = (lastId += 1n);
        await expectSame([every('create', { data: { ...ORDINARY, id } })], 'statements');
        await query(`UPDATE "every thing" SET ${column} = '${value}' WHERE id = ${id}`);
        const find = every('findUnique', { where: { id } });
        const update = every('update', { where: { id }, data: { int: 8 } });
        const page = every('findMany', { orderBy: { id: 'asc' }, take: 99 });
        for (const call of [find, update, page]) {
          await expectSame([call], 'statements');
        }
        const read = await ours.batched.everything.findUniqueOrThrow({ where: { id } });
        const where = { id, ...asRead(Everything, read) };
        await expect(ours.batched.everything.update({ where, data: { int: 9 } })).resolves.toEqual({
          ...read,
          int: 9,
        });
        expect(ours.answeredBy.at(-1)).toBe('Everything.updateAll');
        await expectSame([every('update', { where: { id }, data: { int: 9 } })], 'statements');
      }
      const [own, other] = await takeRows('every thing');
      expect(own).toEqual(other);
    },
  );

  test("statements preserve the digits of doubles that Prisma's engine rounds", async () => {
    const { batched, engine } = both.ours;
    for (const float of EXACT_FLOATS) {
      const data = { ...ORDINARY, float, floats: [float] };
      const { id } = await batched.everything.create({ data });
      for (const client of [batched, engine]) {
        expect(await client.everything.findUnique({ where: { id } })).toMatchObject({
          float,
          floats: [float],
        });
      }
      expect(await batched.everything.delete({ where: { id, float } })).toMatchObject({ id });
    }
  });

  test.each(Object.entries(IDS))(
    "statements store, compare and reject ids of %s like Prisma's engine",
    async (model, { table, stored, judged }) => {
      const { expectSame, takeRows } = both;
      const others = new Map<string, (id: unknown) => object>([
        ['everything', () => ORDINARY],
        ['author', (id) => ({ name: '', email: String(id) })],
        ['defaulted', () => ({ createdAt: new Date(0), updatedAt: new Date(0) })],
      ]).get(model);
      const create = (id: unknown): Call => [model, 'create', { data: { ...others?.(id), id } }];
      const finds = (id: unknown): Call[] => [
        [model, 'findUnique', { where: { id } }],
        [model, 'findUniqueOrThrow', { where: { id }, select: { id: true } }],
      ];
      const remove = (id: unknown): Call => [model, 'delete', { where: { id } }];
      const pages = (condition: unknown): Call[] =>
        ['asc', 'desc'].map((order) => [
          model,
          'findMany',
          { where: { id: condition }, orderBy: { id: order }, take: 3 },
        ]);
      const some = (id: unknown) => [...pages({ in: [id] }), ...pages({ in: [id, stored[1], id] })];
      const isInteger = typeof stored[0] !== 'string';
      await expectSame(stored.map(create), 'statements');
      await expectSame(stored.flatMap(some), isInteger ? 'statements' : 'engine');
      await expectSame(
        stored.flatMap((id) => [...pages({ gt: id }), ...pages({ lt: id })]),
        'statements',
      );
      for (const id of judged) {
        await expectSame([...finds(id), remove(id)], 'engine');
        if (id !== null) {
          await expectSame([create(id), ...some(id), ...pages({ gt: id })], 'engine');
        }
      }
      await expectSame(stored.flatMap(finds), 'statements');
      await expectSame(stored.map(remove), 'statements');
      const [own, other] = await takeRows(table);
      expect(own).toEqual(other);
    },
  );

  test("constraint violations fail with the same errors as in Prisma's engine, and leave the same rows", async () => {
    // Citus can't run statements that were prepared before a column's type changed.
    const { expectSame, takeRows, query, close } = await openBoth(way, settings, database);
    onTestFinished(close);
    for (const constraint of CONSTRAINTS) {
      await query(constraint);
    }
    for (const row of ROWS) {
      await expectSame([row], 'statements');
    }
    await expectSame(VIOLATIONS, 'statements');
    await expectSame(MISSES, 'statements');
    await expectSame([['author', 'findMany', { where: { nmae: 'x' }, take: 5 }]], 'engine');
    if (!inject('isSharded')) {
      await query(MORE_CONSTRAINTS);
      await expectSame(MORE_VIOLATIONS, 'statements');
    }
    for (const table of ['Book', 'Author', 'Item', 'Shelf', 'Defaulted']) {
      const [own, other] = await takeRows(table);
      expect(own).toEqual(other);
    }
  });
});

function isCompared(field: string): boolean {
  const column = columnOf(Everything, field);
  return column.isList !== true && typeOf(column).filters.length > 0;
}

/** The reads that compare a column with a value. */
function comparisons(field: string, value: unknown, id: bigint): Call[] {
  const column = columnOf(Everything, field);
  const { filters, sorted } = typeOf(column);
  if (!isCompared(field) || value === null) {
    return [];
  }
  const page = { orderBy: { id: 'asc' }, take: 5 };
  const some = [value, Reflect.get(ORDINARY, field) ?? value];
  const conditions = filters.includes('in') ? [value, { in: some }] : [value];
  const ordered =
    sorted && column.isRequired
      ? [
          { orderBy: [{ [field]: 'asc' }, { id: 'asc' }], where: { [field]: { gte: value } } },
          { orderBy: [{ [field]: 'desc' }, { id: 'desc' }], where: { [field]: { lt: value } } },
        ]
      : [];
  return [
    ...conditions.map((each) => every('findMany', { ...page, where: { [field]: each } })),
    ...conditions.map((each) => every('findUnique', { where: { id, [field]: each } })),
    ...ordered.map((each) => every('findMany', { ...each, take: 5 })),
  ];
}
