import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { openDatabase } from '../../src/database/client.ts';
import { joinEmbeddedPostgres } from '../../src/database/embedded/join.ts';
import { startLoad } from '../support/load.ts';
import { runEntry } from '../support/process.ts';
import { firstKey, startService } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

async function backUp(env: NodeJS.ProcessEnv, ...args: string[]) {
  await using command = runEntry('src/commands/backup.ts', { args, env });
  const { code } = await command.exit;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

/** The names of all animals in the embedded database of a data folder that no service uses. */
async function namesIn(dataDirectory: string): Promise<string[]> {
  const { url, leave } = await joinEmbeddedPostgres(dataDirectory);
  const database = openDatabase(url);
  const rows = await database.$queryRaw<{ name: string }[]>`SELECT name FROM pets ORDER BY id`;
  await database.$disconnect();
  await leave();
  return rows.map(({ name }) => name);
}

test('a backup that is made while animals are added has all that were there before, and is a store', async () => {
  await using folder = await temporaryDirectory();
  const data = join(folder.path, 'data');
  const target = join(folder.path, 'backup');
  await using service = await startService({ DATA_DIR: data });
  const key = await firstKey(service);
  await using load = startLoad(service.url, key);
  await load.allAnswered([200, 201]);
  const before = load.answers.filter(({ call, status }) => call.startsWith('POST') && status < 300);
  expect(before.length).toBeGreaterThan(0);
  expect(await backUp({ DATA_DIR: data }, target)).toEqual({
    code: 0,
    stdout: `backed up into ${target}\n`,
    stderr: '',
  });
  await load.end();

  await using again = await startService({ DATA_DIR: target });
  const ask = (init: RequestInit = {}) =>
    fetch(`${again.url}/v1/pets?limit=1`, {
      ...init,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    });
  expect((await ask()).status).toBe(200);
  expect((await ask({ method: 'POST', body: '{"name":"Late","categoryId":1}' })).status).toBe(201);
  again.child.kill('SIGTERM');
  await again.child.exit;
  const names = await namesIn(target);
  expect(before.filter(({ animal }) => !names.includes(animal?.name ?? ''))).toEqual([]);
  expect(names).toHaveLength(new Set(names).size);
  expect(names.at(-1)).toBe('Late');
});

test('a store that nobody uses is backed up, too, and stays as it is', async () => {
  await using folder = await temporaryDirectory();
  const data = join(folder.path, 'data');
  {
    await using service = await startService({ DATA_DIR: data });
    const headers = {
      Authorization: `Bearer ${await firstKey(service)}`,
      'Content-Type': 'application/json',
    };
    await fetch(`${service.url}/v1/pets`, {
      method: 'POST',
      headers,
      body: '{"name":"Rex","categoryId":1}',
    });
  }
  const target = join(folder.path, 'backup');
  expect(await backUp({ DATA_DIR: data }, target)).toMatchObject({ code: 0, stderr: '' });
  expect([await namesIn(target), await namesIn(data)]).toEqual([['Rex'], ['Rex']]);
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
  await using folder = await temporaryDirectory();
  expect(await backUp({ DATA_DIR: join(folder.path, 'data') }, ...args)).toEqual({
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
