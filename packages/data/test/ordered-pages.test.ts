import { beforeEach, expect, test } from 'vitest';
import { batchedModels } from '../src/batched-models.ts';
import type { TableOptions } from '../src/statements.ts';
import { cases, openClients } from './clients.ts';
import { models } from './generated/batched-models.ts';
import type { Prisma } from './generated/client.ts';
import { betweenRows, loanOf, ordersOf } from './loans.ts';

const { engine, batched, batchedOnOlder, options, answeredBy, statements, pool } =
  await openClients();
const { isSharded = false } = options;
await pool.query(`INSERT INTO "Author" (name, email) VALUES ('a', 'a')`);
await pool.query(`ALTER TABLE "Loan" ALTER COLUMN holder TYPE varchar(40) COLLATE "en-x-icu"`);
await engine.loan.createMany({
  data: Array.from({ length: 200 }, (_, number) => loanOf(number, 1)),
});
// The client queries the database's sort order only once.
await batched.loan.findMany({
  where: { title: { startsWith: 'M' } },
  orderBy: [{ title: 'asc' }, { due: 'asc' }, { id: 'asc' }],
  take: 1,
});
beforeEach(() => {
  answeredBy.length = 0;
  statements.length = 0;
});

const due = new Date(0);
const title = 'Mio';
const page = {
  orderBy: [{ due: 'desc' }, { title: 'asc' }, { id: 'asc' }],
  take: 5,
} satisfies Prisma.LoanFindManyArgs;
const byId = { orderBy: { id: 'asc' }, take: 5 } satisfies Prisma.LoanFindManyArgs;
const byTitle = {
  orderBy: [{ title: 'asc' }, { due: 'asc' }, { id: 'asc' }],
  take: 5,
} satisfies Prisma.LoanFindManyArgs;
const byHolder = {
  orderBy: [{ holder: 'asc' }, { id: 'asc' }],
  take: 5,
} satisfies Prisma.LoanFindManyArgs;
const behind = betweenRows(ordersOf('due desc, title, id'), { due, title, id: 50n });

test.each(
  cases<Prisma.LoanFindManyArgs>([
    // Many loans tie in this order. A single server returns ties in a fixed order, but shards don't.
    { ...page, orderBy: [{ due: 'desc' }, { title: 'asc' }], where: { id: { lt: 3n } } },
    { ...page, orderBy: [{ due: 'desc' }, { title: 'desc' }, { id: 'asc' }] },
    { ...page, orderBy: [{ title: 'desc' }, { due: 'asc' }, { id: 'asc' }] },
    { ...page, orderBy: [{ author: { name: 'asc' } }, { id: 'asc' }] },
    { ...page, orderBy: [{ category: 'asc' }, { id: 'asc' }] },
    { ...page, orderBy: [{ category: { sort: 'asc', nulls: 'first' } }, { id: 'asc' }] },
    { ...page, orderBy: [{ finer: 'asc' }, { id: 'asc' }] },
    { ...page, orderBy: [{ level: 'asc' }, { status: 'asc' }, { title: 'asc' }, { id: 'asc' }] },
    { ...page, orderBy: [{ holder: 'asc' }, { title: 'asc' }, { id: 'asc' }] },
    { ...page, take: -5 },
    { ...page, skip: 1 },
    { ...page, where: { level: 'low' } },
    { ...page, where: { due: { not: due } } },
    { ...page, where: { status: { in: [] } } },
    { ...page, where: { status: { in: ['sold'], not: 'sold' } } },
    { ...page, where: { status: { contains: 'sold' } } },
    { ...page, where: { title: { startsWith: 'Mio' } } },
    { ...page, where: { title: { gte: 'Mio' } } },
    { ...page, where: { OR: [] } },
    { ...page, where: { OR: [{ due: { lt: due } }, { due, title: { gt: title } }] } },
    { ...page, where: { AND: [behind] } },
    { ...page, where: { AND: [behind, { id: { gt: 7n } }] } },
    { ...page, where: { ...behind, OR: [{ id: 7n }] } },
    // `behind` is a condition for a different order.
    { ...byTitle, where: behind },
    { ...page, where: { ...behind, NOT: { id: 7n } } },
    { ...byTitle, where: { title: { startsWith: 'M_o' } } },
    { ...byTitle, where: { title: { startsWith: 'M%' } } },
    { ...byTitle, where: { title: { startsWith: 'Mio\\' } } },
    { ...byTitle, where: { title: { startsWith: 'mio', mode: 'insensitive' } } },
    { ...byId, where: { category: { in: Array.from({ length: 1001 }, (_, value) => value) } } },
    // In a language's order, other texts may come between texts with the same prefix.
    { ...byHolder, where: { holder: { startsWith: 'x' } } },
  ]),
)("Prisma's engine runs findMany(%s)", async (_text, args) => {
  const found = await batched.loan.findMany(args);
  expect(answeredBy).toEqual(['engine: Loan.findMany']);
  expect(found).toStrictEqual(await engine.loan.findMany(args));
});

test.each<[what: string, args: Prisma.LoanFindManyArgs]>([
  ['long text prefix', { ...byTitle, where: { title: { startsWith: 'x'.repeat(500_000) } } }],
  ["range of texts in a language's order", { ...byHolder, where: { holder: { gt: 'X' } } }],
])('a statement reads a page filtered by a %s', async (_what, args) => {
  const found = await batched.loan.findMany(args);
  expect(answeredBy).toEqual(['Loan.findPages']);
  expect(found).toStrictEqual(await engine.loan.findMany(args));
});

test("Prisma's engine reads relations filtered by prefix after a write, or if text isn't sorted by bytes", async () => {
  const where = { id: 1 };
  const include = {
    loans: {
      where: { title: { startsWith: 'M' } },
      orderBy: [{ title: 'asc' }, { id: 'asc' }],
      take: 3,
    },
  } satisfies Prisma.AuthorInclude;
  const found = await batched.author.findUnique({ where, include });
  expect(answeredBy).toEqual(['Author.findByIds', 'Loan.findPages']);
  expect(found?.loans).toHaveLength(3);
  expect(found).toStrictEqual(await engine.author.findUnique({ where, include }));
  answeredBy.length = 0;
  const updated = await batched.author.update({ where, include, data: { name: 'a' } });
  expect(answeredBy).toEqual(['engine: Author.update']);
  expect(updated).toStrictEqual(found);
  answeredBy.length = 0;
  expect(await saying(['180000']).author.findUnique({ where, include })).toStrictEqual(found);
  expect(answeredBy).toEqual(['Author.findByIds', 'engine: Author.findUnique']);
});

test('pages of different shapes share one statement in each of the first 128 combinations of shapes', async () => {
  const shapes: readonly Prisma.LoanFindManyArgs[] = [
    page,
    { ...page, where: behind },
    { ...page, where: { status: 'sold' } },
    { ...page, where: { status: 'sold', ...behind } },
    { ...page, where: { due } },
    byTitle,
    { ...byTitle, where: { title } },
    byHolder,
  ];
  const expected = await Promise.all(shapes.map((args) => engine.loan.findMany(args)));
  const client = engine.$extends(batchedModels(engine, models, options));
  const together = new Set<string | undefined>();
  for (let subset = 1; subset < 2 ** shapes.length; subset += 1) {
    const some = [...shapes.keys()].filter((index) => (subset >> index) % 2 === 1);
    statements.length = 0;
    const found = await Promise.all(some.map((index) => client.loan.findMany(shapes[index])));
    expect(found).toStrictEqual(some.map((index) => expected[index]));
    const pages = statements.filter(({ statement }) => statement.name === 'Loan.findPages');
    expect([1, some.length]).toContain(pages.length);
    together.add(pages.length < some.length ? pages[0]?.statement.preparedAs : undefined);
  }
  together.delete(undefined);
  expect(together.size).toBe(isSharded ? 0 : 128);
});

/** A client whose database reports this order: its version, and the columns whose text is sorted by bytes. */
function saying(order: readonly string[]) {
  const read: TableOptions['read'] = async (statement, parameters) =>
    statement.name === 'Loan.findOrder'
      ? order.map((text) => [text])
      : options.read(statement, parameters);
  return engine.$extends(batchedModels(engine, models, { ...options, read }));
}

test('on PostgreSQL 16, a page filtered by several sets uses = ANY for only one, so an index can sort it', async () => {
  const args = {
    where: { authorId: 1, status: { in: ['sold', 'pending'] } },
    orderBy: [{ due: 'desc' }, { id: 'asc' }],
    take: 9,
  } satisfies Prisma.LoanFindManyArgs;
  const found = await batchedOnOlder.loan.findMany(args);
  expect(answeredBy.at(-1)).toBe('Loan.findPages');
  const text = statements.at(-1)?.statement.text;
  // Citus always sorts rows.
  expect(text?.match(/= ANY/g)).toHaveLength(isSharded ? 2 : 1);
  expect(found.length).toBeGreaterThan(1);
  expect(found).toStrictEqual(await engine.loan.findMany(args));
});
