import { applyMigrations } from '@store-gateway/local/migrations';
import { expect, onTestFinished, test, vi } from 'vitest';
import { gateway as library } from '../../examples/library/src/gateway.ts';
import { distributeCommand } from '../../packages/gateway/src/commands/database.ts';
import { migrationsOf } from '../../packages/gateway/src/database/tables.ts';
import { runInProcess } from '../support/command.ts';
import { connectClient } from '../support/connect-client.ts';
import { distribute, migrate } from '../support/store-commands.ts';
import {
  addCitus,
  createStore,
  createUndistributed,
  createWithoutCitus,
  startUndistributed,
} from './support/own-cluster.ts';

const cluster = await startUndistributed();

/** Connects to a database. Returns functions that run the command on it and that read the state of its tables. */
async function open(url: string, command: typeof distribute) {
  const client = await connectClient(url);
  const ask = async (text: string) =>
    (await client.query<string[]>({ text, rowMode: 'array' })).rows.flat();
  return {
    url,
    client,
    run: (...args: string[]) => runInProcess(command, args, { env: { DATABASE_URL: url } }),
    /** Returns the distributed tables with their distribution columns, and the indexes of one table. */
    state: async (table: string) => ({
      distributed: await ask(
        `SELECT concat_ws(' by ', logicalrelid, column_to_column_name(logicalrelid, partkey))
         FROM pg_dist_partition ORDER BY 1`,
      ),
      indexes: await ask(
        `SELECT substring(indexdef FROM '^CREATE (.*?) ON') || substring(indexdef FROM ' \\(.*')
         FROM pg_indexes WHERE tablename = '${table}' ORDER BY indexname`,
      ),
    }),
  };
}

/** Opens a store with 50 animals. */
async function openStore() {
  const { state, ...store } = await open(await createStore(cluster), distribute);
  await store.client.query(
    `INSERT INTO pets (name, category_id, status) SELECT 'Rex', number % 5, 'sold' FROM generate_series(1, 50) AS number`,
  );
  return { ...store, state: () => state('pets') };
}

/** Opens the example library, in which loans refer to books, and books to authors. */
async function openLibrary() {
  const url = await createUndistributed(cluster);
  await applyMigrations(url, migrationsOf(library));
  const { state, ...opened } = await open(url, distributeCommand(library));
  return { ...opened, state: () => state('loans') };
}

const BY_STATUS = 'INDEX pets_status_id_idx (status, id)';

test.each([
  { args: ['Pet'], table: 'pets by id', key: ['UNIQUE INDEX pets_pkey (id)'] },
  {
    args: ['Pet.categoryId'],
    table: 'pets by category_id',
    key: ['INDEX pets_id_idx (id)', 'UNIQUE INDEX pets_pkey (category_id, id)'],
  },
  { args: ['--reference', 'Pet'], table: 'pets', key: ['UNIQUE INDEX pets_pkey (id)'] },
])('distribute $args distributes a model once and keeps an index on its id', async (row) => {
  const { run, state, client } = await openStore();
  const what = row.args.at(-1);
  expect(await run(...row.args)).toEqual({
    code: 0,
    stdout: `distributing ${what}\ndone\n`,
    stderr: '',
  });
  expect(await state()).toEqual({ distributed: [row.table], indexes: [...row.key, BY_STATUS] });
  const { rows } = await client.query('SELECT count(*)::int, sum(id)::int FROM pets');
  expect(rows).toEqual([{ count: 50, sum: 1275 }]);
  expect(await run(...row.args)).toEqual({
    code: 0,
    stdout: 'everything is already distributed\n',
    stderr: '',
  });
  const other = row.table === 'pets by id' ? ['--reference', 'Pet'] : ['Pet'];
  const { code, stderr } = await run(...other);
  expect(code).toBe(1);
  expect(stderr).toContain(': Pet is already distributed in a different way.\n');
});

test('running distribute again continues an interrupted distribution', async () => {
  const { client, url, run, state } = await openStore();
  await client.query(
    "INSERT INTO pets (name, category_id, status) SELECT 'Rex', 1, 'sold' FROM generate_series(1, 20000)",
  );
  const interruption = new AbortController();
  const interrupted = runInProcess(distribute, ['Pet.categoryId'], {
    env: { DATABASE_URL: url },
    interrupted: interruption.signal,
  });
  await vi.waitFor(
    async () => {
      const { rowCount } = await client.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%table_concurrently%' AND pid <> pg_backend_pid()",
      );
      expect(rowCount).toBe(1);
    },
    { timeout: 20_000, interval: 5 },
  );
  interruption.abort();
  const { code, stderr } = await interrupted;
  expect(code).toBe(1);
  expect(stderr).toMatch(/: interrupted\.\n$/);
  expect(await run('Pet.categoryId')).toMatchObject({ code: 0, stderr: '' });
  expect(await state()).toMatchObject({ distributed: ['pets by category_id'] });
  const { rows } = await client.query('SELECT count(*)::int FROM pets');
  expect(rows).toEqual([{ count: 20_050 }]);
});

test.each([
  {
    sql: 'DROP TABLE pets',
    reason: 'Pet has no table; apply the migrations first',
  },
  {
    sql: 'CREATE TABLE strays () INHERITS (pets)',
    reason: 'Pet has partitions or child tables, or is one; Citus only distributes ordinary tables',
  },
  {
    sql: 'ALTER TABLE pets DROP CONSTRAINT pets_pkey',
    reason: 'Pet has no primary key on its id; add one with a migration',
  },
  {
    sql: 'CREATE TRIGGER tell BEFORE UPDATE ON pets FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()',
    reason: 'Pet has the trigger tell, which Citus would not run; drop it with a migration',
  },
  {
    sql: 'ALTER TABLE pets ADD COLUMN number bigint GENERATED BY DEFAULT AS IDENTITY',
    reason:
      'Pet has the identity column number, whose values Citus would repeat; use a sequence as its default instead',
  },
  {
    sql: "CREATE UNIQUE INDEX pets_name ON pets (name) WHERE status = 'pending'",
    reason:
      'Pet has the unique index pets_name without id, which no shard can check; drop it with a migration',
  },
  {
    sql: 'CREATE TABLE visits (id bigserial PRIMARY KEY, pet_id bigint CONSTRAINT of_pet REFERENCES pets)',
    reason:
      'Pet has the foreign key of_pet between visits and Pet; drop it with a migration, or add --reference Pet',
  },
  {
    sql: 'CREATE TABLE categories (id bigint PRIMARY KEY); INSERT INTO categories SELECT DISTINCT category_id FROM pets; ALTER TABLE pets ADD CONSTRAINT of_category FOREIGN KEY (category_id) REFERENCES categories',
    reason:
      'Pet has the foreign key of_category between Pet and categories; drop it with a migration',
  },
  {
    args: ['Pet.categoryId'],
    sql: 'ALTER TABLE pets ALTER COLUMN category_id DROP NOT NULL',
    reason:
      'Pet.categoryId has the nullable column category_id, but rows with null belong to no shard; make it NOT NULL with a migration',
  },
])(
  'distribute reports an obstacle and changes nothing: $reason',
  async ({ args = ['Pet'], sql, reason }) => {
    const { client, run, state } = await openStore();
    await client.query(sql);
    const before = await state();
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^distribute: The database at \S+ can't be distributed: /);
    expect(stderr).toContain(`: ${reason}.\n`);
    expect(before).toMatchObject({ distributed: [] });
    expect(await state()).toEqual(before);
  },
);

const BETWEEN = 'has the foreign key loans_book_id_fkey between Loan and Book';
/** Removes the actions of the loans' foreign key, so that Citus can distribute loans by its column. */
const WITHOUT_ACTIONS = `ALTER TABLE loans DROP CONSTRAINT loans_book_id_fkey,
  ADD CONSTRAINT loans_book_id_fkey FOREIGN KEY (book_id) REFERENCES books`;
const MAY_CHANGE =
  'Loan.bookId has the foreign key loans_book_id_fkey to Book, which may change book_id, the column that rows are distributed by; set its actions to NO ACTION with a migration';

test.each([
  {
    what: 'Loan',
    reasons: [
      `Loan ${BETWEEN}; drop it with a migration, or add --reference Author --reference Book`,
    ],
  },
  {
    what: 'Loan --reference Book',
    reasons: [
      'Book has the foreign key books_author_id_fkey between Book and Author; drop it with a migration, or add --reference Author',
    ],
  },
  {
    what: 'Loan.bookId Book --reference Author',
    reasons: [
      `Loan.bookId ${BETWEEN}; drop it with a migration, or add --reference Book`,
      MAY_CHANGE,
      'Book has the unique index books_isbn_key without id, which no shard can check; drop it with a migration',
      `Book ${BETWEEN}; drop it with a migration, or add --reference Book`,
    ],
  },
])(
  'distribute reports all obstacles before it changes anything: $what',
  async ({ what, reasons }) => {
    const { run, state } = await openLibrary();
    const before = await state();
    const { code, stdout, stderr } = await run(...what.split(' '));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`can't be distributed: ${reasons.join('. ')}.\n`);
    expect(await state()).toEqual(before);
  },
);

test('distribute follows foreign keys; --check prints the order or all obstacles and changes nothing', async () => {
  const { client, run, state } = await openLibrary();
  const args = ['Loan.bookId', '--reference', 'Book', '--reference', 'Author'];
  for (const each of [args, [...args, '--check']]) {
    const { code, stdout, stderr } = await run(...each);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`can't be distributed: ${MAY_CHANGE}.\n`);
  }
  await client.query(WITHOUT_ACTIONS);
  const before = await state();
  expect(await run(...args, '--check')).toEqual({
    code: 0,
    stdout: `would distribute Author
would distribute Book
would distribute Loan.bookId, and extend its primary key
no obstacles found; nothing was changed
`,
    stderr: '',
  });
  expect(await state()).toEqual(before);
  expect(await run(...args)).toEqual({
    code: 0,
    stdout: 'distributing Author\ndistributing Book\ndistributing Loan.bookId\ndone\n',
    stderr: '',
  });
  const { distributed, indexes } = await state();
  expect(distributed).toEqual(['authors', 'books', 'loans by book_id']);
  expect(indexes).toContain('INDEX loans_id_idx (id)');
  expect(indexes).toHaveLength(before.indexes.length + 1);
  expect(await run(...args)).toMatchObject({ stdout: 'everything is already distributed\n' });
});

test('distribute rejects a database without Citus', async () => {
  const DATABASE_URL = await createWithoutCitus(cluster, 'plain');
  expect(await runInProcess(distribute, ['Pet'], { env: { DATABASE_URL } })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(': it has no Citus nodes; set up Citus first.\n') as unknown,
  });
});

test('distribute and migrate reject a connection to a Citus worker, even if it has no tables', async () => {
  const { href } = Object.assign(new URL(cluster.workers[0].url), { pathname: 'store' });
  const env = { DATABASE_URL: href };
  const commands = [runInProcess(distribute, ['Pet'], { env }), runInProcess(migrate, [], { env })];
  for (const { code, stdout, stderr } of await Promise.all(commands)) {
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /: The database at \S+ \(DATABASE_URL\) cannot be used: it is a Citus worker; connect to the coordinator\.\n$/,
    );
  }
});

test('distribute rejects a cluster whose servers sort texts differently', async () => {
  const name = 'differing';
  const DATABASE_URL = await createWithoutCitus(cluster, name, (node) =>
    node === cluster.workers[1] ? 'C.UTF-8' : 'C',
  );
  await addCitus(cluster, name);
  const { code, stderr } = await runInProcess(distribute, ['Pet'], { env: { DATABASE_URL } });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /: \S+ and \S+ sort texts differently \(UTF8 c C C.*; UTF8 c C.UTF-8 C.UTF-8.*\); create their databases with the same encoding and locale\.\n$/,
  );
});

test('distribute reports a Citus server that cannot be reached', async () => {
  const [worker] = cluster.workers;
  const { run } = await openStore();
  await worker.stop();
  onTestFinished(() => worker.start());
  const { code, stderr } = await run('Pet');
  expect(code).toBe(1);
  expect(stderr).toMatch(/: \S+ can't be queried: .*\.\n$/);
});

test('distribute restores the primary key if Citus rejects the distribution', async () => {
  const { client, url, run, state } = await openStore();
  // The command does not check this setting, so Citus rejects it.
  await client.query(
    `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET citus.shard_replication_factor = 2`,
  );
  const before = await state();
  expect(before).toMatchObject({ distributed: [] });
  expect(await run('Pet.categoryId')).toMatchObject({ code: 1 });
  expect(await state()).toEqual(before);
});

test.each([
  { args: [], reason: 'MODEL is missing; see --help' },
  { args: ['Pets'], reason: 'there is no model Pets; the models are Pet' },
  { args: ['Pet.size'], reason: 'Pet.size is not a column of Pet' },
  { args: ['--reference', 'Pet.id'], reason: 'Pet.id is not a column of Pet' },
])('distribute reports a usage error: $reason', async ({ args, reason }) => {
  expect(await runInProcess(distribute, args)).toEqual({
    code: 2,
    stdout: '',
    stderr: `distribute: ${reason}\n`,
  });
});
