import { join } from 'node:path';
import { Client } from 'pg';
import { expect, inject, test } from 'vitest';
import { backup } from '../../src/commands/backup.ts';
import { joinEmbeddedPostgres } from '../../src/database/embedded/join.ts';
import { applyMigrations } from '../../src/database/migrations/apply.ts';
import { onFileFinished } from '../support/clean-up.ts';
import { runInProcess } from '../support/command.ts';
import { requestOf, startGateway } from '../support/gateway.ts';
import { startLoad } from '../support/load.ts';
import { runEntry } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const folder = await temporaryDirectory();
onFileFinished(() => folder[Symbol.asyncDispose]());

const backUp = (env: NodeJS.ProcessEnv, ...args: string[]) => runInProcess(backup, args, { env });

/** The address of a data folder's PostgreSQL, which runs until the tests are over. */
async function addressOf(dataDirectory: string): Promise<string> {
  const { url, leave } = await joinEmbeddedPostgres(dataDirectory);
  onFileFinished(leave);
  await applyMigrations(url);
  return url;
}

/** The names of all animals, in the order in which they were added. */
async function namesAt(databaseUrl: string): Promise<string[]> {
  const client = new Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ name: string }>('SELECT name FROM pets ORDER BY id');
  await client.end();
  return rows.map(({ name }) => name);
}

test('a backup that is made while animals are added has all that were there before, and is a store', async () => {
  const data = join(folder.path, 'data');
  const target = join(folder.path, 'backup');
  const store = await startGateway({ databaseUrl: await addressOf(data) });
  await using load = startLoad(store.url, store.key, 2);
  await load.allAnswered([200, 201]);
  const before = load.answers.filter(({ call, status }) => call.startsWith('POST') && status < 300);
  expect(before.length).toBeGreaterThan(0);
  await using command = runEntry('src/commands/backup.ts', {
    args: [target],
    env: { DATA_DIR: data },
  });
  expect([await command.exit, command.stderr()]).toEqual([{ code: 0, signal: null }, '']);
  expect(command.stdout()).toBe(`backed up into ${target}\n`);
  await load.end();

  // Nobody uses a backup: one of it is as well one of a store that doesn't run.
  const second = join(folder.path, 'second');
  expect(await backUp({ DATA_DIR: target }, second)).toMatchObject({ code: 0, stderr: '' });
  const databaseUrl = await addressOf(target);
  const names = await namesAt(databaseUrl);
  expect(before.filter(({ animal }) => !names.includes(animal?.name ?? ''))).toEqual([]);
  expect(names).toHaveLength(new Set(names).size);
  expect(await namesAt(await addressOf(second))).toEqual(names);

  const restored = await startGateway({ databaseUrl });
  // With the key of the store, which the backup holds, too.
  const request = requestOf(restored.url, store.key);
  expect((await request('/v1/pets?limit=1')).status).toBe(200);
  const headers = { 'Content-Type': 'application/json' };
  const body = '{"name":"Late","categoryId":1}';
  expect((await request('/v1/pets', { method: 'POST', headers, body })).status).toBe(201);
  expect(await namesAt(databaseUrl)).toEqual([...names, 'Late']);
});

test.each([
  { what: 'no folder', args: [], code: 2, stderr: 'say into which folder; see --help' },
  { what: 'two', args: ['/a', '/b'], code: 2, stderr: 'unexpected "/b"; see --help' },
  {
    what: 'one that exists',
    args: ['/tmp'],
    code: 1,
    stderr: '/tmp exists already: say a folder that does not',
  },
  {
    what: 'one in a folder that does not',
    args: ['/nowhere/backup'],
    code: 1,
    stderr: '/nowhere does not exist',
  },
])('told $what it says so, and does nothing', async ({ args, code, stderr }) => {
  expect(await backUp({ DATA_DIR: join(folder.path, 'none') }, ...args)).toEqual({
    code,
    stdout: '',
    stderr: `backup: ${stderr}\n`,
  });
});

test('a PostgreSQL that is not ours is left to its own tools', async () => {
  const { code, stderr } = await backUp({ DATABASE_URL: inject('postgresUrl') }, '/nowhere/backup');
  expect([code, stderr]).toEqual([
    1,
    'backup: DATABASE_URL names a PostgreSQL that is not ours: back it up by its own tools, such as pg_dump\n',
  ]);
});
