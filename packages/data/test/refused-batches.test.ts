import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openClients } from './clients.ts';

/* If the database rejects a batch, the calls at fault fail with Prisma's errors, and the other writes are made. */

const { engine, batched, under, answeredBy, pool } = await openClients();

const TAKEN = 'taken@example.com';
await engine.author.create({ data: { name: 'taken', email: TAKEN } });

const newAuthor = () => engine.author.create({ data: { name: 'old', email: randomUUID() } });

/** Writes that can be batched. An update changes the row with this id. */
const WRITES = {
  create: (client: typeof batched, _id: number, email: string) =>
    client.author.create({ data: { name: 'new', email } }),
  update: (client: typeof batched, id: number, email: string) =>
    client.author.update({ where: { id }, data: { email } }),
};

test.each([
  ['creates', WRITES.create, () => batched],
  ['updates', WRITES.update, () => batched],
  ['creates with idempotency keys', WRITES.create, under],
  ['updates with idempotency keys', WRITES.update, under],
] as const)(
  'a rejected write in a batch of %s fails alone and claims no idempotency key; statements run the others',
  async (_what, write, clientFor) => {
    const authors = await Promise.all(Array.from({ length: 32 }, newAuthor));
    const emails = authors.map((_author, number) => (number === 20 ? TAKEN : randomUUID()));
    answeredBy.length = 0;
    const results = await Promise.allSettled(
      authors.map(({ id }, number) => {
        const email = emails[number] ?? '';
        return write(clientFor(`${id} ${email}`), id, email);
      }),
    );
    expect(answeredBy.filter((name) => name.startsWith('engine: '))).toEqual([]);
    expect(results).toMatchObject(
      emails.map((email) =>
        email === TAKEN
          ? { reason: { code: 'P2002', meta: { modelName: 'Author' } } }
          : { value: { email } },
      ),
    );
    expect(await engine.author.count({ where: { email: { in: emails } } })).toBe(32);
    const keys = `SELECT FROM _gateway_idempotency_keys WHERE name LIKE '% ${TAKEN}'`;
    expect((await pool.query(keys)).rows).toEqual([]);
  },
);

test("a read with a value that the database rejects doesn't fail the other reads in its batch", async () => {
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
