import { EMBEDDED } from '../support/store-database.ts';
import { backup, seed } from '../support/store-commands.ts';
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { joinEmbeddedPostgres } from '@store-gateway/local';
import { onFileFinished } from '../support/clean-up.ts';
import { runInProcess } from '../support/command.ts';
import { requestOf, startGateway, type Gateway } from '../support/gateway.ts';
import { startLoad } from '../support/load.ts';
import { runEntry } from '../support/process.ts';
import { startPatientService, stop } from '../support/service.ts';
import { testFolder } from '../support/test-folder.ts';

/** Long enough to copy and flush a thousand files on a busy machine. */
const BACKUP_TIMEOUT = { timeout: 60_000 };

const folder = await testFolder();

const backUp = (env: NodeJS.ProcessEnv, ...args: string[]) => runInProcess(backup, args, { env });

/** Starts a gateway on the embedded PostgreSQL in a data folder. */
async function gatewayOn(dataDirectory: string) {
  const { url, leave } = await joinEmbeddedPostgres(dataDirectory, EMBEDDED);
  onFileFinished(leave);
  return startGateway({ databaseUrl: url });
}

/** Returns the names of all animals in the order of their creation. */
async function namesIn({ database }: Gateway): Promise<string[]> {
  const rows = await database.$queryRaw<{ name: string }[]>`SELECT name FROM pets ORDER BY id`;
  return rows.map(({ name }) => name);
}

// No service uses this store until the first test has backed it up. The second test adds animals.
const data = join(folder, 'data');
await runInProcess(seed, ['3'], { env: { DATA_DIR: data } });

test('npm run backup copies a store that is not running', BACKUP_TIMEOUT, async () => {
  const target = join(folder, 'unused');
  expect(await backUp({ DATA_DIR: data }, target)).toEqual({
    code: 0,
    stdout: `backed up to ${target}\n`,
    stderr: '',
  });
  const names = await namesIn(await gatewayOn(target));
  expect(names).toHaveLength(3);
  expect(await namesIn(await gatewayOn(data))).toEqual(names);
});

test(
  'a backup made during creates contains every animal created before the backup',
  BACKUP_TIMEOUT,
  async () => {
    const target = join(folder, 'backup');
    const store = await gatewayOn(data);
    await using load = startLoad(store.url, store.key, 2);
    await load.allAnswered([200, 201]);
    const before = load.answers.filter(
      ({ call, status }) => call.startsWith('POST') && status < 300,
    );
    expect(before.length).toBeGreaterThan(0);
    await using command = runEntry('src/main.ts backup', {
      args: [target],
      env: { DATA_DIR: data },
    });
    expect([await command.exit, command.stderr()]).toEqual([{ code: 0, signal: null }, '']);
    expect(command.stdout()).toBe(`backed up to ${target}\n`);
    await load.end();

    // The backup also contains the store's key.
    await using service = await startPatientService({ DATA_DIR: target });
    const request = requestOf(service.url, store.key);
    expect((await request('/v1/pets?limit=1')).status).toBe(200);
    const headers = { 'Content-Type': 'application/json' };
    const body = '{"name":"Late","categoryId":1}';
    expect((await request('/v1/pets', { method: 'POST', headers, body })).status).toBe(201);
    const names = await namesIn(await gatewayOn(target));
    expect(before.filter(({ animal }) => !names.includes(animal?.name ?? ''))).toEqual([]);
    expect(names).toHaveLength(new Set(names).size);
    expect(names.at(-1)).toBe('Late');
    await stop(service);
    // The service did not create a first key.
    expect(service.child.stderr()).toBe('');
  },
);

test('a backup that fails does not leave a folder', BACKUP_TIMEOUT, async () => {
  const store = await gatewayOn(data);
  const version = join(data, 'postgres', 'cluster', 'PG_VERSION');
  await rename(version, `${version}.lost`);
  const target = join(folder, 'without-version');
  const { code, stderr } = await backUp({ DATA_DIR: data }, target);
  await rename(`${version}.lost`, version);
  expect([code, existsSync(target)]).toEqual([1, false]);
  expect(stderr).toContain('PG_VERSION was removed while it was being created: try again');
  expect(await namesIn(store)).not.toEqual([]);
});

test.each([
  [{ DATA_DIR: join(folder, 'none') }, '/tmp', '/tmp already exists: name a folder that does not'],
  [{ DATA_DIR: join(folder, 'none') }, '/nowhere/backup', '/nowhere does not exist'],
  [
    { DATABASE_URL: inject('postgresUrl') },
    '/nowhere/backup',
    'DATABASE_URL is set, so the database is not the embedded one: back it up with its own tools, such as pg_dump',
  ],
])('npm run backup rejects a backup of %o to %s', async (env, target, fault) => {
  expect(await backUp(env, target)).toEqual({ code: 1, stdout: '', stderr: `backup: ${fault}\n` });
});
