import { expect, test } from 'vitest';
import { auditingClient } from '../src/audit.ts';
import { testClients } from './clients.ts';
import { models } from './generated/batched-models.ts';

const TABLE = `CREATE TABLE _gateway_audit_log (
  caller text, key_id bigint, operation text, request_id text, change text, model text, row_id text
)`;

const entry = () => ({ caller: 'ann', keyId: null, operation: 'test', requestId: 'r' });

/** A client of which some models are audited, and what it has noted. */
async function auditingClients(...audited: readonly string[]) {
  const clients = await testClients();
  await clients.pool.query(TABLE);
  return {
    ...clients,
    client: auditingClient(clients.batched, { models, audited: new Set(audited), entry }),
    noted: async () => {
      const { rows } = await clients.pool.query<{ noted: string }>(
        `SELECT concat_ws(' ', caller, operation, request_id, change, model, row_id) AS noted FROM _gateway_audit_log`,
      );
      return rows.map(({ noted }) => noted).toSorted();
    },
  };
}

const ADA = { name: 'Ada', email: 'ada@example.com' };

test('rows of audited models are noted in the statements that write them, and those of others as before', async () => {
  const { client, noted, answeredBy } = await auditingClients('Author');
  const [{ id }] = await Promise.all([
    client.author.create({ data: ADA }),
    client.author.create({ data: { name: 'Bo', email: 'bo@example.com' } }),
  ]);
  const { id: bookId } = await client.book.create({ data: { title: 'x', authorId: id } });
  await client.author.update({ where: { id }, data: { name: 'Ada L.' } });
  await client.book.delete({ where: { id: bookId } });
  await client.author.delete({ where: { id } });
  expect(await noted()).toEqual(
    [`create Author ${id}`, `create Author ${id + 1}`, `update Author ${id}`, `delete Author ${id}`]
      .map((line) => `ann test r ${line}`)
      .toSorted(),
  );
  expect(answeredBy).toEqual([
    'Author.createAllAudited',
    'Book.createAll',
    'Author.updateAllAudited',
    'Book.deleteAll',
    'Author.deleteAllAudited',
  ]);
});

test('a row that the engine writes is noted, whatever of it is selected', async () => {
  const { client, noted, answeredBy } = await auditingClients('Author');
  const { id } = await client.author.create({ data: ADA });
  const change = { where: { email: ADA.email }, data: { name: { set: 'Eve' } } };
  expect(await client.author.update({ ...change, select: { name: true } })).toEqual({
    name: 'Eve',
  });
  expect(await client.author.update({ ...change, omit: { id: true } })).toEqual({
    name: 'Eve',
    email: ADA.email,
  });
  expect(await client.author.update({ ...change, include: { books: { take: 1 } } })).toEqual({
    id,
    name: 'Eve',
    email: ADA.email,
    books: [],
  });
  const updated = `ann test r update Author ${id}`;
  expect(await noted()).toEqual([`ann test r create Author ${id}`, updated, updated, updated]);
  expect(answeredBy).toContain('engine: Author.update');
});

test('a batch that the database refuses is noted of those that it takes', async () => {
  const { client, noted } = await auditingClients('Author');
  const outcomes = await Promise.allSettled([
    client.author.create({ data: ADA }),
    client.author.create({ data: ADA }),
    client.author.create({ data: { name: 'Bo', email: 'bo@example.com' } }),
  ]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
  ]);
  expect(await noted()).toHaveLength(2);
});

test('nested writes of audited rows are refused, wherever they are nested, and nothing is written', async () => {
  const { client, noted } = await auditingClients('Book');
  const book = { title: 'x' };
  const written = [
    () => client.author.create({ data: { ...ADA, books: { create: book } } }),
    () => client.author.create({ data: { ...ADA, books: { connect: { id: 1n } } } }),
    () => client.author.update({ where: { id: 1 }, data: { books: { deleteMany: {} } } }),
    () =>
      client.author.upsert({
        where: { id: 1 },
        create: ADA,
        update: { books: { updateMany: { where: {}, data: book } } },
      }),
  ];
  for (const write of written) {
    expect(write).toThrow("rows of Book can't be written in a nested write of Author");
  }
  expect([await client.author.count(), await noted()]).toEqual([0, []]);
});

test('a row may be created with a reference, and with rows that are not audited', async () => {
  const { client, noted } = await auditingClients('Book');
  const { id: authorId } = await client.author.create({ data: ADA });
  const referring = await client.book.create({
    data: { title: 'x', author: { connect: { id: authorId } } },
  });
  const beside = await client.book.create({
    data: { title: 'x', author: { create: { name: 'Bo', email: 'bo@example.com' } } },
  });
  expect(await noted()).toEqual([
    `ann test r create Book ${referring.id}`,
    `ann test r create Book ${beside.id}`,
  ]);
});

test('raw statements may read audited tables, but not write them', async () => {
  const { client } = await auditingClients('Author');
  expect(await client.$queryRaw`SELECT count(*)::int AS n FROM "Author"`).toEqual([{ n: 0 }]);
  expect(() => client.$executeRaw`DELETE FROM "Author"`).toThrow("$executeRaw can't write Author");
  expect(() => client.$queryRawUnsafe('DELETE FROM "Author" RETURNING id')).toThrow(
    "$queryRawUnsafe can't write Author",
  );
  expect(await client.$executeRaw`DELETE FROM "Book"`).toBe(0);
});

test('a model that statements are not made from cannot be audited', async () => {
  await expect(auditingClients('Nothing')).rejects.toThrow(
    "Nothing can't be audited, because no statements can be generated for this model",
  );
});
