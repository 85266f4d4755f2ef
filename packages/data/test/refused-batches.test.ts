import { afterAll, beforeEach, expect, test } from 'vitest';
import { openClients } from './clients.ts';

/* If the database rejects a batch, the requests at fault get Prisma's errors, and the others are written. */

const { engine, batched, answeredBy, pool, close } = await openClients();
afterAll(close);
await pool.query(`INSERT INTO "Author" (name, email) VALUES ('taken', 'taken@example.com')`);
beforeEach(() => {
  answeredBy.length = 0;
});

const byEngine = () => answeredBy.filter((name) => name.startsWith('engine: '));

test('the other requests of a rejected batch are written by statements', async () => {
  const data = Array.from({ length: 32 }, (_, number) => ({
    name: 'new',
    email: number === 20 ? 'taken@example.com' : `${number}@example.com`,
  }));
  const results = await Promise.allSettled(
    data.map((each) => batched.author.create({ data: each })),
  );
  expect(results.flatMap(({ status }, number) => (status === 'rejected' ? [number] : []))).toEqual([
    20,
  ]);
  expect(await engine.author.count({ where: { name: 'new' } })).toBe(31);
  expect(byEngine()).toEqual(['engine: Author.count']);
});

test("a read with a value that the database rejects doesn't fail the others of its batch", async () => {
  const { id } = await engine.defaulted.create({ data: {} });
  const sent = [{ id }, { id, price: '1e200000' }, { id, price: '1.5' }, { id: 'none' }];
  const found = await Promise.allSettled(
    sent.map((where) => batched.defaulted.findUnique({ where })),
  );
  const own = await engine.defaulted.findUnique({ where: { id } });
  expect(found.map((each) => (each.status === 'fulfilled' ? each.value : each.status))).toEqual([
    own,
    'rejected',
    own,
    null,
  ]);
  const pages = await Promise.allSettled(
    sent.map(({ price }) =>
      batched.defaulted.findMany({
        where: { flag: true, ...(price === undefined ? {} : { price }) },
        orderBy: { id: 'asc' },
        take: 9,
      }),
    ),
  );
  expect(pages.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
});
