import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { connectClient } from '../../../../test/support/connect-client.ts';
import { testFolder } from '../../../../test/support/test-folder.ts';
import { backUpEmbeddedPostgres } from '../../src/embedded/backup.ts';
import { expectEmbeddedPostgres, joinEmbeddedPostgres } from '../../src/embedded/join.ts';
import { recordedServer } from '../../src/embedded/server.ts';

const NAMES = { user: 'shop_owner', application: 'shop' };

async function ask(url: string, sql: string): Promise<object[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(sql)).rows;
  } finally {
    await client.end();
  }
}

test('several processes share a server, the last one to leave stops it, and its backup is a usable data folder', async () => {
  const folder = await testFolder();
  await expect(expectEmbeddedPostgres(folder)).rejects.toThrow('there is no store in');
  const launched: string[] = [];
  const first = await joinEmbeddedPostgres(folder, NAMES, () => launched.push('first'));
  const second = await joinEmbeddedPostgres(folder, NAMES, () => launched.push('second'));
  expect(launched).toEqual(['first']);
  expect(second.url).toBe(first.url);
  expect(await ask(first.url, 'SELECT current_user::text AS name')).toEqual([
    { name: 'shop_owner' },
  ]);
  const members = "SELECT FROM pg_stat_activity WHERE application_name = 'shop membership'";
  expect(await ask(first.url, members)).toHaveLength(2);
  await ask(first.url, 'CREATE TABLE kept (id int); INSERT INTO kept VALUES (7)');
  await first.leave();
  expect(await ask(first.url, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);

  const backup = join(await testFolder(), 'backup');
  await backUpEmbeddedPostgres(folder, NAMES, backup);
  await second.leave();
  await expect(ask(first.url, 'SELECT 1')).rejects.toThrow('ENOENT');
  const restored = await joinEmbeddedPostgres(backup, NAMES);
  onTestFinished(restored.leave);
  expect(await ask(restored.url, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
});

test('joining a running server fails if the password file was changed, and starts no second server', async () => {
  const folder = await testFolder();
  const { leave } = await joinEmbeddedPostgres(folder, NAMES);
  onTestFinished(leave);
  const file = join(folder, 'postgres', 'password');
  const password = await readFile(file, 'utf8');
  await writeFile(file, 'other');
  await expect(joinEmbeddedPostgres(folder, NAMES)).rejects.toThrow('rejected the password');
  await writeFile(file, password);
});

test('after a PostgreSQL backend crashes, the process restarts the server at the same address', async () => {
  const folder = await testFolder();
  const { url, leave } = await joinEmbeddedPostgres(folder, NAMES);
  onTestFinished(leave);
  const cluster = join(folder, 'postgres', 'cluster');
  const crashed = await recordedServer(cluster);
  const client = await connectClient(url);
  const { rows } = await client.query<{ id: number }>('SELECT pg_backend_pid() AS id');
  process.kill(Number(rows[0]?.id), 'SIGKILL');
  await expect.poll(() => recordedServer(cluster)).not.toBeOneOf([crashed, undefined]);
  await expect.poll(() => ask(url, 'SELECT 1 AS one').catch(String)).toEqual([{ one: 1 }]);
});

test.each(['global/pg_control', 'postgresql.conf'])(
  'starting a cluster without its %s reports the missing file, not old log lines',
  async (lost) => {
    const folder = await testFolder();
    const { leave } = await joinEmbeddedPostgres(folder, NAMES);
    await leave();
    const file = join(folder, 'postgres/cluster', lost);
    await rm(file);
    await expect(joinEmbeddedPostgres(folder, NAMES)).rejects.toThrow(
      new RegExp(`could not (?:open|access) .*${file}": No such file or directory$`),
    );
  },
);
