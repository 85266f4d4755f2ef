import { afterAll, expect, test } from 'vitest';
import { cases, openClients } from './clients.ts';
import type { Prisma } from './generated/client.ts';
import {
  addAuthors,
  connectReader,
  rowsRead,
  rowsReadByAll,
  rowsSent,
  SHARDS,
} from './rows-read.ts';

const { engine, batched, answeredBy, statements, connectionString, pool, close } =
  await openClients();
const client = await connectReader(connectionString);
afterAll(async () => {
  await client.end();
  await close();
});

// Of each author's books the last ones are the rare ones, edited by somebody, so that a scan finds them late.
await addAuthors(pool, 2000);
await pool.query(`INSERT INTO "Book" (title, author_id, editor_id)
  SELECT CASE WHEN n % 20 = 7 THEN 'rare' ELSE 'common' END, n % 100 + 1,
    CASE WHEN n > 59000 THEN 5 END
  FROM generate_series(1, 60000) AS n`);
await pool.query('ANALYZE');

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
)('what is read is what is sent, and a row for each parent: %s', async (_text, args) => {
  statements.length = 0;
  answeredBy.length = 0;
  const found = await batched.author.findMany(args);
  expect(answeredBy.filter((name) => name.startsWith('engine'))).toEqual([]);
  expect(found).toStrictEqual(await engine.author.findMany(args));
  const read = await rowsReadByAll(client, statements);
  const sent = rowsSent(found);
  expect(sent).toBeGreaterThan(0);
  expect(read).toBeLessThanOrEqual((2 * sent + found.length) * SHARDS);
});

test.each(
  cases<Prisma.BookFindManyArgs>([
    { ...last, where: { title: 'rare', authorId: 8 } },
    { ...one, where: { title: 'rare', authorId: 9 } },
    { ...last, where: { title: 'common', authorId: 9, editorId: 5, id: { lt: 59_500n } } },
    { ...last, where: { id: { gt: 200n, lt: 59_500n } } },
  ]),
)('a page by several columns is read off their index: %s', async (_text, args) => {
  statements.length = 0;
  const found = await batched.book.findMany(args);
  expect(found).toStrictEqual(await engine.book.findMany(args));
  const [{ statement, parameters } = expect.fail('the engine has answered')] = statements;
  expect(statements).toHaveLength(1);
  expect(await rowsRead(client, statement, parameters)).toBeLessThanOrEqual(
    (found.length + 1) * SHARDS,
  );
});
