import { seed } from '../support/store-commands.ts';
import { escapeIdentifier } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { connectClient } from '../support/connect-client.ts';
import { runInProcess } from '../support/command.ts';
import { createDatabase } from '../support/database.ts';
import { startGateway } from '../support/gateway.ts';
import { LOCK, waitingForLock } from '../support/migrating.ts';
import { addedAnimals, countAnimals } from '../support/seed.ts';
import { emptyDatabase, newDatabase } from '../support/new-database.ts';

const { request, database, databaseUrl } = await startGateway();
const env = { DATABASE_URL: databaseUrl };

const run = (...args: string[]) => runInProcess(seed, args, { env });

/** Returns a function that reads the animals created after this call, in the order of their creation. */
async function watchAnimals() {
  const { _max } = await database.pet.aggregate({ _max: { id: true } });
  return () =>
    database.$queryRaw<{ name: string; categoryId: bigint; status: string }[]>`
      SELECT name, category_id AS "categoryId", status::text FROM pets
      WHERE id > ${_max.id ?? 0n} ORDER BY id`;
}

test('npm run seed adds 20,000 plausible animals', async () => {
  const added = await watchAnimals();
  expect(await run('20000')).toEqual({ code: 0, stdout: 'added 20,000 animals\n', stderr: '' });

  const animals = await added();
  expect(animals).toHaveLength(20_000);
  const percent = (status: string) =>
    Math.round(animals.filter((animal) => animal.status === status).length / 200);
  expect(['available', 'pending', 'sold'].map(percent)).toEqual([70, 10, 20]);
  expect(new Set(animals.map(({ categoryId }) => categoryId)).size).toBe(5);
  const names = new Set(animals.map(({ name }) => name));
  expect(names.size).toBeGreaterThan(1000);
  expect([...names].filter((name) => !/^\p{Lu}[\p{L}' -]*$/u.test(name))).toEqual([]);
  expect((await request('/v1/pets?status=sold&limit=100')).json).toHaveLength(100);
});

/** Runs seed and returns the animals that it has added. */
async function animalsOf(count: string) {
  const added = await watchAnimals();
  expect((await run(count)).code).toBe(0);
  return added();
}

test('npm run seed adds exactly the given number of animals, and the same animals each time', async () => {
  // One more animal than a single statement inserts.
  const first = await animalsOf('2001');
  expect(first).toHaveLength(2001);
  expect(await animalsOf('2001')).toEqual(first);
});

/** Returns the output that redraws the progress bar on its line. */
function bar(filled: number, text: string): string {
  return `\r\u001B[K${'█'.repeat(filled)}${'░'.repeat(30 - filled)} ${text}`;
}

test('npm run seed shows a progress bar on a terminal', async () => {
  const shown = [bar(0, '  0 %  0'), bar(12, ' 40 %  2,000'), bar(24, ' 80 %  4,000')];
  expect(await runInProcess(seed, ['5000'], { env, isTTY: true })).toEqual({
    code: 0,
    stdout: 'added 5,000 animals\n',
    stderr: `${shown.join('')}\r\u001B[K`,
  });
});

test('npm run seed changes nothing if it is interrupted before the database is ready', async () => {
  const url = await emptyDatabase();
  const other = await connectClient(url);
  await other.query(LOCK);
  const interruption = new AbortController();
  const command = runInProcess(seed, ['1'], {
    env: { DATABASE_URL: url },
    interrupted: interruption.signal,
  });
  await waitingForLock(other, 1);
  interruption.abort();
  expect(await command).toEqual({
    code: 1,
    stdout: '',
    stderr: 'seed: interrupted before anything was done\n',
  });
  const { rows } = await other.query("SELECT to_regclass('pets') AS pets");
  expect(rows).toEqual([{ pets: null }]);
});

test('npm run seed reports how many animals it has added if it loses its database', async () => {
  const url = await newDatabase();
  const name = new URL(url).pathname.slice(1);
  // The check that closes leaked connections queries this database until it responds.
  onTestFinished(async () => void (await createDatabase(inject('postgresUrl'), { name })));
  const command = runInProcess(seed, ['10000000'], { env: { DATABASE_URL: url } });
  await expect.poll(() => countAnimals(url)).toBeGreaterThan(0);
  const postgres = await connectClient(inject('postgresUrl'));
  await postgres.query(`DROP DATABASE ${escapeIdentifier(name)} WITH (FORCE)`);
  const { code, stderr } = await command;
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^seed: (?:The service cannot reach its database right now|The database took too long to respond)\. Please try again\. [\d,]+ of [^\n]+\n$/,
  );
  expect(addedAnimals(stderr)).toBeGreaterThan(0);
});
