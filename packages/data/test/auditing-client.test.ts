import { expect, test } from 'vitest';
import { auditingClient } from '../src/audit.ts';
import { testClients } from './clients.ts';
import { models } from './generated/batched-models.ts';

const TABLE = `CREATE TABLE _gateway_audit_log (
  caller text, key_id bigint, operation text, request_id text, change text, model text, row_id text
)`;

const entry = () => ({ caller: 'ann', keyId: null, operation: 'test', requestId: 'r' });

/** A client that audits the given models, and a function that reads its audit log. */
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

test("a statement that writes an audited row also logs the change; other rows aren't logged", async () => {
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

test('a nested write of audited rows is rejected at any depth, and writes nothing', async () => {
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

test("an audited row can be created with a reference, or together with a row that isn't audited", async () => {
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

test('raw SQL can read audited tables, but not write to them', async () => {
  const { client } = await auditingClients('Author');
  expect(await client.$queryRaw`SELECT count(*)::int AS n FROM "Author"`).toEqual([{ n: 0 }]);
  expect(() => client.$executeRaw`DELETE FROM "Author"`).toThrow(
    "$executeRaw can't write to Author",
  );
  expect(() => client.$queryRawUnsafe('DELETE FROM "Author" RETURNING id')).toThrow(
    "$queryRawUnsafe can't write to Author",
  );
  expect(await client.$executeRaw`DELETE FROM "Book"`).toBe(0);
});
