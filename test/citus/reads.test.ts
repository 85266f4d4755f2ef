import assert from 'node:assert/strict';
import { expect, onTestFinished, test } from 'vitest';
import type { Prisma } from '../../packages/data/test/generated/client.ts';
import { testClients } from '../../packages/data/test/clients.ts';
import { betweenRows } from '../../packages/data/test/loans.ts';
import { connectReader, shardedPlanOf } from '../../packages/data/test/rows-read.ts';

/** Creates books by ten authors. Returns clients and a function that explains their last statement. */
async function library() {
  const { batched, pool, connectionString, statements } = await testClients();
  const client = await connectReader(connectionString);
  onTestFinished(() => client.end());
  await pool.query(`INSERT INTO "Book" (title, author_id)
    SELECT 'title ' || n % 7, n % 10 + 1 FROM generate_series(1, 2000) AS n`);
  /** Explains the last statement: its number of tasks, and the most rows that a scan returned. */
  const explained = async () => {
    const last = statements.at(-1);
    assert(last);
    const lines = await shardedPlanOf(client, last.statement, last.parameters);
    const tasks = lines.flatMap((line) => /Task Count: (\d+)/.exec(line)?.[1] ?? []);
    const given = lines.flatMap((line) => /Scan .*\(actual rows=(\d+) /.exec(line)?.[1] ?? []);
    return { tasks: tasks.map(Number), most: Math.max(...given.map(Number)), lines };
  };
  return { batched, pool, explained };
}

const page = { orderBy: { id: 'asc' }, take: 5 } as const;

test('a get by id reads one shard, and a batch of gets reads each shard once', async () => {
  const { batched, explained } = await library();
  const get = (id: bigint) => batched.book.findUnique({ where: { id } });
  expect(await get(7n)).toMatchObject({ id: 7n });
  expect(await explained()).toMatchObject({ tasks: [1], most: 1 });
  const ids = Array.from({ length: 20 }, (_, index) => BigInt(index + 1));
  const found = await Promise.all(ids.map(get));
  expect(found.map((book) => book?.id)).toEqual(ids);
  expect(await explained()).toMatchObject({ tasks: [4] });
});

test('a page reads at most as many rows from each shard as it returns', async () => {
  const { batched, pool, explained } = await library();
  await pool.query('ANALYZE');
  for (const args of [
    page,
    { ...page, where: { id: { gt: 500n } } },
    { ...page, where: { id: { lt: 500n } }, orderBy: { id: 'desc' } } as const,
    { ...page, where: { authorId: 3, id: { gt: 500n } } },
    { ...page, where: { authorId: 3, title: 'title 2' } },
  ]) {
    expect(await batched.book.findMany(args)).toHaveLength(5);
    const { tasks, lines } = await explained();
    expect(tasks).toEqual([4]);
    for (const line of lines) {
      const [, limited] = /-> {2}Limit .*\(actual rows=(\d+) /.exec(line) ?? [];
      expect(Number(limited ?? 0)).toBeLessThanOrEqual(5);
    }
  }
});

test('a page filtered by one value of the distribution column reads one shard', async () => {
  const { batched, pool, explained } = await library();
  await pool.query('ALTER TABLE "Book" DROP CONSTRAINT "Book_pkey"');
  await pool.query(`SELECT alter_distributed_table('"Book"', distribution_column => 'author_id')`);
  const title = 'title 2';
  const byTitle: Prisma.BookFindManyArgs = { take: 5, orderBy: [{ title: 'asc' }, { id: 'asc' }] };
  for (const args of [
    { ...page, where: { authorId: 3 } },
    { ...page, where: { authorId: 3, id: { gt: 500n } } },
    { ...page, where: { authorId: 3, title } },
    { ...page, where: { authorId: 3, id: { lt: 500n } }, orderBy: { id: 'desc' } } as const,
    {
      ...byTitle,
      where: {
        authorId: 3,
        ...betweenRows(
          [
            ['title', 'asc'],
            ['id', 'asc'],
          ],
          { title, id: 500n },
        ),
      },
    },
  ]) {
    expect(await batched.book.findMany(args)).toHaveLength(5);
    expect(await explained()).toMatchObject({ tasks: [1] });
  }
});
