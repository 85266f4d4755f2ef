import { seed } from '../support/store-commands.ts';
import { Client, escapeIdentifier } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { runInProcess } from '../support/command.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { runEntry } from '../support/process.ts';
import { addedAnimals, countAnimals } from '../support/seed.ts';

/** More than any test waits for. */
const ENDLESS = ['10000000'];

const newDatabase = (template?: string) =>
  createDatabase(inject('postgresUrl'), template === undefined ? {} : { template });

async function connect(url: string): Promise<Client> {
  const client = new Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Resolves once there are animals. */
async function someAnimals(url: string): Promise<void> {
  await expect.poll(() => countAnimals(url)).toBeGreaterThan(0);
}

test('at SIGINT it ends, and the animals that it says were added stay', async () => {
  const url = await newDatabase(TEMPLATE);
  await using command = runEntry('src/main.ts seed', {
    args: ENDLESS,
    env: { DATABASE_URL: url },
  });
  await someAnimals(url);
  command.kill('SIGINT');
  expect(await command.exit).toEqual({ code: 1, signal: null });
  expect([command.stdout(), command.stderr()]).toEqual([
    '',
    expect.stringMatching(/^seed: interrupted; [\d,]+ of [^\n]+\n$/),
  ]);
  expect(addedAnimals(command.stderr())).toBe(await countAnimals(url));
});

test('interrupted while the database is being made ready, it does nothing', async () => {
  const url = await newDatabase();
  const other = await connect(url);
  const waiting = async () => {
    const { rowCount } = await other.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return rowCount;
  };
  // As one that migrates does.
  await other.query('SELECT pg_advisory_lock(72707369)');
  const interruption = new AbortController();
  const command = runInProcess(seed, ['1'], {
    env: { DATABASE_URL: url },
    interrupted: interruption.signal,
  });
  await expect.poll(waiting).toBe(1);
  interruption.abort();
  expect(await command).toEqual({
    code: 1,
    stdout: '',
    stderr: 'seed: interrupted before anything was done\n',
  });
  const { rows } = await other.query("SELECT to_regclass('pets') AS pets");
  expect(rows).toEqual([{ pets: null }]);
});

test('a database that goes away ends it, and it tells how far it came', async () => {
  const url = await newDatabase(TEMPLATE);
  const name = new URL(url).pathname.slice(1);
  // What ends forgotten connections asks for them until a database answers.
  onTestFinished(async () => void (await createDatabase(inject('postgresUrl'), { name })));
  const command = runInProcess(seed, ENDLESS, { env: { DATABASE_URL: url } });
  await someAnimals(url);
  const postgres = await connect(inject('postgresUrl'));
  await postgres.query(`DROP DATABASE ${escapeIdentifier(name)} WITH (FORCE)`);
  const { code, stderr } = await command;
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^seed: (?:The service cannot reach its database right now|The database took too long to respond)\. Please try again\. [\d,]+ of [^\n]+\n$/,
  );
  expect(addedAnimals(stderr)).toBeGreaterThan(0);
});
