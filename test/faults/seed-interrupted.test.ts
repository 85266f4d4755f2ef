import { Client, escapeIdentifier } from 'pg';
import { expect, inject, test } from 'vitest';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { processesNaming } from '../support/process-list.ts';
import { runEntry, runOnTerminal, type ChildEntry } from '../support/process.ts';
import { firstKey, startService } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** More than any test waits for. */
const ENDLESS = { args: ['10000000'] };
const PATIENCE = { timeout: 20_000 };
const TOLD = /([\d,]+) of 10,000,000 animals were added; they stay/;

async function connect(url: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  const count = async () => {
    const { rows } = await client.query<{ count: string }>('SELECT count(*) FROM pets');
    return Number(rows[0]?.count);
  };
  return { client, count, [Symbol.asyncDispose]: () => client.end() };
}

/** How many a command tells to have added before it ended early. */
function told(output: string): number {
  return Number(TOLD.exec(output)?.[1]?.replaceAll(',', ''));
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  'at %s it ends, and what it tells stays',
  async (signal) => {
    const url = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
    await using store = await connect(url);
    await using command = runEntry('src/commands/seed.ts', {
      ...ENDLESS,
      env: { DATABASE_URL: url },
    });
    await expect.poll(store.count, PATIENCE).toBeGreaterThan(0);
    command.kill(signal);
    expect(await command.exit).toEqual({ code: 1, signal: null });
    expect([command.stdout(), command.stderr().replace(TOLD, '(told)')]).toEqual([
      '',
      'seed: interrupted; (told)\n',
    ]);
    expect(told(command.stderr())).toBe(await store.count());
  },
);

test('interrupted while the database is being made ready, it does nothing', async () => {
  const url = await createDatabase(inject('postgresUrl'));
  await using other = await connect(url);
  const waiting = async () => {
    const { rowCount } = await other.client.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return rowCount;
  };
  // As one that migrates does.
  await other.client.query('SELECT pg_advisory_lock(72707369)');
  await using command = runEntry('src/commands/seed.ts', {
    args: ['1'],
    env: { DATABASE_URL: url },
  });
  await expect.poll(waiting, PATIENCE).toBe(1);
  command.kill('SIGINT');
  expect(await command.exit).toEqual({ code: 1, signal: null });
  expect([command.stdout(), command.stderr()]).toEqual([
    '',
    'seed: interrupted before anything was done\n',
  ]);
  const { rows } = await other.client.query("SELECT to_regclass('pets') AS pets");
  expect(rows).toEqual([{ pets: null }]);
});

test('a database that goes away ends it, and it tells how far it came', async () => {
  const url = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const name = new URL(url).pathname.slice(1);
  await using command = runEntry('src/commands/seed.ts', {
    ...ENDLESS,
    env: { DATABASE_URL: url },
  });
  {
    await using store = await connect(url);
    await expect.poll(store.count, PATIENCE).toBeGreaterThan(0);
  }
  await using postgres = await connect(inject('postgresUrl'));
  await postgres.client.query(`DROP DATABASE ${escapeIdentifier(name)} WITH (FORCE)`);
  expect(await command.exit).toEqual({ code: 1, signal: null });
  expect(command.stderr().replace(TOLD, '(told)')).toBe(
    'seed: The service cannot reach its database right now. Please try again. (told)\n',
  );
  expect(told(command.stderr())).toBeGreaterThan(0);
});

/** Resolves once the bar of a command on a terminal has moved. */
async function moved({ stdout }: ChildEntry): Promise<void> {
  await expect.poll(stdout, PATIENCE).toContain('%  2,000');
}

test('Ctrl-C leaves no PostgreSQL behind, and a service finds the animals', async () => {
  await using data = await temporaryDirectory();
  const env = { DATA_DIR: data.path };
  await using command = runOnTerminal('src/commands/seed.ts', { ...ENDLESS, env });
  await moved(command);
  command.type('\u0003');
  expect(await command.exit).toEqual({ code: 1, signal: null });
  expect(told(command.stdout())).toBeGreaterThan(0);
  expect(await processesNaming(data.path)).toEqual([]);

  await using service = await startService(env);
  const key = await firstKey(service);
  // Beside a service it works as well.
  await using beside = runEntry('src/commands/seed.ts', { args: ['1'], env });
  expect(await beside.exit).toEqual({ code: 0, signal: null });
  const list = await fetch(`${service.url}/v1/pets?limit=1`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  expect([list.status, await list.json()]).toEqual([200, [expect.objectContaining({ id: 1 })]]);
});
