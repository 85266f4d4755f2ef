import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { applyMigrations } from '@store-gateway/local/migrations';
import { expect, onTestFinished, test } from 'vitest';
import { connectClient } from '../support/connect-client.ts';
import { emptyDatabase } from '../support/new-database.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Creates a database with a distributed table. Returns functions that add and apply further migrations. */
async function start() {
  const directory = await temporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  const url = await emptyDatabase();
  const client = await connectClient(url);
  const folder = pathToFileURL(`${directory.path}/`);
  const options = {
    sources: [{ folder, table: '_prisma_migrations' }],
    tables: ['orders'],
    applicationName: 'shop',
  };
  let count = 0;
  const add = async (script: string): Promise<string> => {
    count += 1;
    const name = `2030010100${String(count).padStart(4, '0')}_change`;
    await mkdir(join(directory.path, name));
    await writeFile(join(directory.path, name, 'migration.sql'), script);
    return name;
  };
  const apply = (retry?: string) => applyMigrations(url, { ...options, retry });
  await add(`
    CREATE TYPE state AS ENUM ('open', 'paid');
    CREATE TABLE orders (id bigserial PRIMARY KEY, note text NOT NULL, state state NOT NULL);
    CREATE INDEX orders_state ON orders (state, id);`);
  await apply();
  await client.query("SELECT create_distributed_table('orders', 'id')");
  await client.query("INSERT INTO orders (note, state) VALUES ('a;b', 'open'), ('c', 'paid')");
  const rows = async (text: string) => (await client.query<object>(text)).rows;
  return { add, apply, rows, folder: directory.path };
}

test('migrations can change columns, enums, indexes, constraints and rows of a distributed table', async () => {
  const { add, apply, rows } = await start();
  for (const script of [
    // The format that Prisma generates.
    `-- AlterTable
     ALTER TABLE "orders" ADD COLUMN "size" INTEGER NOT NULL DEFAULT 3, ADD COLUMN "at" DATE;

     -- CreateIndex
     CREATE INDEX "orders_size_id_idx" ON "orders"("size", "id");`,
    `CREATE TYPE kind AS ENUM ('a');
     ALTER TABLE orders ADD COLUMN kind kind NOT NULL DEFAULT 'a';
     CREATE INDEX orders_kind ON orders (kind, id)`,
    `ALTER TYPE kind ADD VALUE 'b';
     ALTER TABLE orders ADD COLUMN other kind`,
    `CREATE INDEX CONCURRENTLY orders_note ON orders (note, id); -- alone; in its file`,
    'DROP INDEX CONCURRENTLY orders_note;',
    `DROP INDEX orders_size_id_idx; DROP INDEX orders_kind`,
    `ALTER TABLE orders ADD CONSTRAINT positive CHECK (size > 0) NOT VALID;
     ALTER TABLE orders ADD CONSTRAINT "no ; in it" CHECK (note <> ';') NOT VALID;`,
    `ALTER TABLE orders VALIDATE CONSTRAINT positive;
     ALTER TABLE orders VALIDATE CONSTRAINT "no ; in it";`,
    // Changes rows of all shards before types and tables.
    `UPDATE orders SET note = note || ';' WHERE note = 'c';
     CREATE TYPE shape AS ENUM ('round');
     ALTER TABLE orders ADD COLUMN shape shape;
     UPDATE orders SET shape = 'round';
     ALTER TABLE orders ALTER COLUMN shape SET NOT NULL, DROP COLUMN at;`,
    `DO $$
     DECLARE one record;
     BEGIN
       FOR one IN SELECT id FROM orders WHERE other IS NULL ORDER BY id LOOP
         UPDATE orders SET other = 'b' WHERE id = one.id;
         COMMIT;
       END LOOP;
     END $$;`,
    `CREATE FUNCTION semicolons() RETURNS text LANGUAGE sql AS $body$ SELECT ';$$'; $body$;
     ALTER TABLE orders RENAME COLUMN size TO weight;`,
    `CREATE TABLE lines (id bigserial PRIMARY KEY, order_id bigint NOT NULL);
     CREATE INDEX ON lines (order_id, id);
     INSERT INTO lines (order_id) SELECT id FROM orders;`,
  ]) {
    const name = await add(script);
    expect(await apply()).toMatchObject({ applied: [name] });
  }
  expect(await rows('SELECT * FROM orders ORDER BY id')).toEqual([
    { id: '1', note: 'a;b', state: 'open', weight: 3, kind: 'a', other: 'b', shape: 'round' },
    { id: '2', note: 'c;', state: 'paid', weight: 3, kind: 'a', other: 'b', shape: 'round' },
  ]);
  expect(await rows('SELECT order_id FROM lines ORDER BY order_id')).toEqual([
    { order_id: '1' },
    { order_id: '2' },
  ]);
});

test('a migration that fails on Citus changes nothing and can be applied again', async () => {
  const { add, apply, rows, folder } = await start();
  const name = await add(
    'ALTER TABLE orders ADD COLUMN size int; ALTER TABLE orders ALTER COLUMN id TYPE numeric',
  );
  const message = `The migration ${name} failed on this database: cannot execute ALTER TABLE command involving partition column. Fix the cause, then retry it with npm run migrate -- --retry ${name}. If the migration uses something that Citus doesn't support, such as a unique index without the table's distribution column, first remove that from the migration's file, or delete the migration.`;
  await expect(apply()).rejects.toThrow(message);
  await expect(apply()).rejects.toThrow(message);
  const sizes = () =>
    rows(
      "SELECT attname FROM pg_attribute WHERE attrelid = 'orders'::regclass AND attname = 'size'",
    );
  expect(await sizes()).toEqual([]);

  await writeFile(join(folder, name, 'migration.sql'), 'ALTER TABLE orders ADD COLUMN size int');
  expect(await apply(name)).toMatchObject({ applied: [name] });
  expect(await sizes()).toHaveLength(1);
});

test('a failed migration blocks versions that do not include it until it is retried', async () => {
  const { add, apply, folder } = await start();
  const name = await add('CREATE UNIQUE INDEX orders_note ON orders (note)');
  await expect(apply()).rejects.toThrow(`The migration ${name} failed on this database: `);
  await rm(join(folder, name), { recursive: true });
  await expect(apply()).rejects.toThrow(
    `The migration ${name} failed on this database (creating unique indexes on non-partition columns is currently unsupported), and this version does not include it; to continue without it, run npm run migrate -- --retry ${name}.`,
  );
  expect(await apply(name)).toMatchObject({ applied: [] });
  const next = await add('CREATE INDEX orders_note ON orders (note)');
  expect(await apply()).toMatchObject({ applied: [next] });
});

test('migrate rejects a foreign key that Citus would not check until it is dropped', async () => {
  const { add, apply } = await start();
  await add(`
    CREATE TABLE lines (order_id bigint NOT NULL);
    ALTER TABLE lines ADD CONSTRAINT lines_order FOREIGN KEY (order_id) REFERENCES orders (id);`);
  const message =
    'The foreign key lines_order refers to orders, which Citus has distributed, so it would not be checked when rows there are deleted; drop it with a migration.';
  await expect(apply()).rejects.toThrow(message);
  await expect(apply()).rejects.toThrow(message);
  const dropped = await add('ALTER TABLE lines DROP CONSTRAINT lines_order');
  expect(await apply()).toMatchObject({ applied: [dropped] });
});
