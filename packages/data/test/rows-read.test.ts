import assert from 'node:assert/strict';
import { afterAll, expect, test } from 'vitest';
import { callEngine } from '../src/prisma-internals.ts';
import type { Row } from '../src/model.ts';
import { cases, openClients } from './clients.ts';
import type { Prisma } from './generated/client.ts';
import { betweenRows, orderByOf, ordersOf, type Orders } from './loans.ts';
import {
  addAuthors,
  blocksRead,
  connectReader,
  rowsRead,
  rowsReadByAll,
  rowsSent,
  SHARDS,
} from './rows-read.ts';

const { engine, batched, batchedOnOlder, answeredBy, statements, connectionString, pool } =
  await openClients();
const client = await connectReader(connectionString);
afterAll(() => client.end());

// Half of the loans have the same title, day and price. The rare statuses and categories are added after ANALYZE, so
// PostgreSQL assumes that conditions on status and category filter out no rows.
await addAuthors(pool, 2000);
// Only each author's last books have an editor, so a scan finds them late.
await pool.query(`INSERT INTO "Book" (title, author_id, editor_id)
  SELECT CASE WHEN n % 20 = 7 THEN 'rare' ELSE 'common' END, n % 100 + 1,
    CASE WHEN n > 59000 THEN 5 END
  FROM generate_series(1, 60000) AS n`);
const addLoans = (status: string, category: number, count: number): Promise<unknown> =>
  pool.query(
    `INSERT INTO "Loan" (status, level, category, title, due, at, day, price, weight, count, serial, code, holder, author_id)
    SELECT $1, 'LOW', $2, CASE WHEN n % 2 = 0 THEN 'same' ELSE 'title ' || n % 40 END,
      timestamptz '2024-01-05Z' + (n % 2) * (n % 10 - 5) * interval '1 day',
      timestamp '2024-01-01' + n * interval '1 hour', '2024-01-01', n % 2 * (n % 5), n % 3, n % 2,
      n, gen_random_uuid(), 'holder ' || n % 50, n % 20 + 1
    FROM generate_series(1, $3::integer) AS n`,
    [status, category, count],
  );
await addLoans('common', 1, 40_000);
await pool.query('VACUUM ANALYZE');
await addLoans('rare', 2, 60);
await addLoans('other', 3, 60);

const TAKE = 20;
/** A row in the middle of the loans with equal values. */
const middle: Row = {
  id: 20_000n,
  title: 'same',
  due: new Date('2024-01-05T00:00:00Z'),
  status: 'common',
  price: 0,
  weight: 1,
  count: 0,
  serial: 20_000n,
  at: new Date('2026-04-13T08:00:00Z'),
  day: new Date('2024-01-01'),
};
const byDue = ordersOf('due desc, title, id');
const byDueBackward = ordersOf('due, title desc, id desc');
const byTitle = ordersOf('title desc, due desc, id desc');
const byPrice = ordersOf('price desc, weight, count desc, id');
const byStatus = ordersOf('status, id');
const byId = ordersOf('id');
const from = (orders: Orders, where: object = {}) => ({
  orderBy: orderByOf(orders),
  take: TAKE,
  where,
});
const behind = (orders: Orders, where: object = {}) =>
  from(orders, { ...where, ...betweenRows(orders, middle) });
const between = (orders: Orders, where: object = {}) => {
  const end = { ...middle, id: orders.at(-1)?.[1] === 'asc' ? 20_030n : 19_970n };
  return from(orders, { ...where, ...betweenRows(orders, middle, end) });
};
const day = new Date('2024-01-05T00:00:00Z');

function lastStatement() {
  const last = statements.at(-1);
  assert(last);
  return last;
}

/** The number in each case is the number of parts in which the page is read. */
test.each(
  cases([
    [1, from(byDue)],
    [2, behind(byDue)],
    [4, between(byDue)],
    [2, behind(byDueBackward)],
    [2, behind(byDue, { status: 'common' })],
    [2, behind(byDueBackward, { status: 'common' })],
    [4, between(byDueBackward, { status: 'common' })],
    [1, from(byDue, { status: 'rare' })],
    [1, from(byDueBackward, { status: 'none' })],
    [1, behind(byTitle)],
    [1, between(byTitle)],
    [2, behind(byTitle, { title: { gte: 'same', lt: 'title 2' } })],
    [2, behind(byDue, { due: { gte: day, lte: day } })],
    [1, from(byTitle, { title: { startsWith: 'sa' } })],
    [1, from(byTitle, { title: { startsWith: 'title 3' } })],
    [1, from(byTitle, { title: { startsWith: 'none' } })],
    [2, behind(byTitle, { title: { startsWith: 'sam' } })],
    [4, behind(byPrice)],
    [16, between(byPrice)],
    [2, from(byId, { status: { in: ['rare', 'common'] }, id: { gt: 20_000n } })],
    [
      3,
      from(byId, {
        status: { in: ['rare', 'common', 'other'] },
        id: { gte: 20_000n, lt: 40_010n },
      }),
    ],
    [4, behind(byDue, { status: { in: ['rare', 'common'] } })],
    [6, from(byId, { status: { in: ['rare', 'common', 'none'] }, level: { in: ['low', 'high'] } })],
    [3, from(byId, { category: { in: [1, 2, 2, 4] } })],
    [4, behind(byStatus, { status: { in: ['rare', 'common'] } })],
    [3, behind(byDue, { due: day })],
    [9, between(byDueBackward, { status: 'common', due: day })],
    [1, from(ordersOf('serial, id desc'), { category: 2, flag: false })],
    [1, from(ordersOf('serial desc, id'), { category: 4, flag: true })],
  ] as const),
)(
  'an ordered page reads only its own rows, from a single index: %s',
  async (_text, [parts, args]) => {
    answeredBy.length = 0;
    statements.length = 0;
    const found = await callEngine(batched, 'loan', 'findMany', args);
    expect(answeredBy.at(-1)).toBe('Loan.findPages');
    expect(found).toStrictEqual(await callEngine(engine, 'loan', 'findMany', args));
    const { statement, parameters } = lastStatement();
    const sent = Array.isArray(found) ? found.length : NaN;
    const most = parts === 1 ? sent : parts * TAKE;
    const read = await rowsRead(client, statement, parameters);
    // Shards plan with the actual values, and estimate a row comparison only by its first column. For a page between two rows,
    // they may read a quarter of all rows.
    const isBetween = SHARDS > 1 && 'AND' in args.where;
    expect(read).toBeLessThanOrEqual(isBetween ? 40_120 / 4 : SHARDS * most);
    expect(read).toBeGreaterThan(sent - 1);
    if (SHARDS > 1) {
      return;
    }
    // The blocks of each row, and the blocks on the path to the first row of each part.
    expect(await blocksRead(client, statement, parameters)).toBeLessThanOrEqual(
      2 * read + 8 * parts,
    );
  },
);

test.each(
  cases([
    from(byId, { status: 'rare', level: 'low' }),
    // Shards read all values of a set in one scan, from an index that is chosen by statistics.
    ...(SHARDS === 1 ? [from(byId, { status: { in: ['rare', 'none'] }, level: 'low' })] : []),
    from(byId, { status: 'common', level: 'low', id: { gt: 20_000n } }),
    from(byId, { status: 'common', level: 'low', id: { gt: 20_000n, lt: 20_010n } }),
    behind(ordersOf('title desc, id desc'), { status: 'common', level: 'low' }),
  ]),
)(
  'before PostgreSQL 17, a page filtered by several columns reads only its own rows, from one index: %s',
  async (_text, args) => {
    const found = await callEngine(batchedOnOlder, 'loan', 'findMany', args);
    expect(found).toStrictEqual(await callEngine(engine, 'loan', 'findMany', args));
    const { statement, parameters } = lastStatement();
    const read = await rowsRead(client, statement, parameters);
    expect(read).toBeLessThanOrEqual(SHARDS * (Array.isArray(found) ? found.length : NaN));
    const blocks = SHARDS === 1 ? await blocksRead(client, statement, parameters) : 0;
    expect(blocks).toBeLessThanOrEqual(2 * read + 16);
  },
);

test('one statement reads the ordered pages of a relation for all parent rows from one index', async () => {
  const loansOf = [
    from(ordersOf('title, id')),
    from(ordersOf('due, id desc'), { status: { in: ['rare', 'common', 'none'] } }),
    behind(ordersOf('due desc, id'), { status: 'common' }),
  ];
  for (const loans of loansOf) {
    const args = { orderBy: { id: 'asc' }, take: 20, include: { loans } };
    answeredBy.length = 0;
    statements.length = 0;
    const found = await callEngine(batched, 'author', 'findMany', args);
    expect(answeredBy.filter((name) => name !== 'Loan.findOrder')).toEqual([
      'Author.findPages',
      'Loan.findPages',
    ]);
    expect(found).toStrictEqual(await callEngine(engine, 'author', 'findMany', args));
    const { statement, parameters } = lastStatement();
    // On shards, a statement reads one parent's page, and may read and sort all loans of that parent.
    const most = SHARDS > 1 ? 40_120 / 20 : 20 * 3 * TAKE;
    expect(await rowsRead(client, statement, parameters)).toBeLessThanOrEqual(most);
  }
});

const parents = { orderBy: { id: 'asc' }, take: 100 } as const;
const one = { orderBy: { id: 'asc' }, take: 1 } as const;
const last = { orderBy: { id: 'desc' }, take: 3 } as const;

test.each(
  cases<Prisma.AuthorFindManyArgs>([
    { ...parents, include: { books: one } },
    { ...parents, include: { books: { ...one, where: { title: 'rare' } } } },
    { ...parents, include: { books: { ...one, where: { title: 'none' } } } },
    { ...parents, include: { books: { ...last, where: { title: 'rare' } } } },
    { ...parents, include: { books: { ...one, where: { title: 'rare', editorId: 5 } } } },
    { ...parents, include: { books: { ...last, where: { title: 'common', editorId: 5 } } } },
    { ...parents, include: { books: { ...one, where: { id: { gt: 30_000n, lt: 30_050n } } } } },
    {
      ...parents,
      include: { books: { ...last, where: { title: 'rare', id: { gt: 9n, lt: 30_000n } } } },
    },
    {
      ...parents,
      take: 3,
      include: {
        books: {
          ...one,
          include: { author: { include: { books: { ...last, where: { title: 'common' } } } } },
        },
      },
    },
  ]),
)(
  "a relation's pages read at most two rows per returned row, and one more per parent: %s",
  async (_text, args) => {
    statements.length = 0;
    answeredBy.length = 0;
    const found = await batched.author.findMany(args);
    expect(answeredBy.filter((name) => name.startsWith('engine'))).toEqual([]);
    expect(found).toStrictEqual(await engine.author.findMany(args));
    const read = await rowsReadByAll(client, statements);
    const sent = rowsSent(found);
    expect(sent).toBeGreaterThan(0);
    expect(read).toBeLessThanOrEqual((2 * sent + found.length) * SHARDS);
  },
);

test.each(
  cases<Prisma.BookFindManyArgs>([
    { ...last, where: { title: 'rare', authorId: 8 } },
    { ...one, where: { title: 'rare', authorId: 9 } },
    { ...last, where: { title: 'common', authorId: 9, editorId: 5, id: { lt: 59_500n } } },
    { ...last, where: { id: { gt: 200n, lt: 59_500n } } },
  ]),
)(
  'a page filtered by several columns reads only its own rows, from an index on those columns: %s',
  async (_text, args) => {
    statements.length = 0;
    const found = await batched.book.findMany(args);
    expect(found).toStrictEqual(await engine.book.findMany(args));
    expect(statements).toHaveLength(1);
    const { statement, parameters } = lastStatement();
    expect(await rowsRead(client, statement, parameters)).toBeLessThanOrEqual(
      (found.length + 1) * SHARDS,
    );
  },
);
