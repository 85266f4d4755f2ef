import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { backup } from '../../src/commands/backup.ts';
import { deprecations } from '../../src/commands/deprecations.ts';
import { documents } from '../../src/commands/documents.ts';
import { keys } from '../../src/commands/keys.ts';
import { runInProcess, type Surroundings } from '../support/command.ts';
import { processesNaming } from '../support/process-list.ts';
import { runEntry } from '../support/process.ts';
import { startService } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

async function statusWith(url: string, key: string): Promise<number> {
  const answer = await fetch(`${url}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.status;
}

test('commands work without a service, and leave no PostgreSQL behind; beside one they leave it its own', async () => {
  await using data = await temporaryDirectory();
  const env = { DATA_DIR: data.path };
  const succeed = async (...args: string[]) => {
    const { stdout, ...outcome } = await runInProcess(keys, args, { env });
    expect(outcome).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  await using command = runEntry('src/commands/keys.ts', { args: ['create', 'early'], env });
  expect([await command.exit, command.stderr()]).toEqual([{ code: 0, signal: null }, '']);
  const early = command.stdout().trimEnd();
  expect(await processesNaming(data.path)).toEqual([]);

  await using service = await startService(env);
  expect(await statusWith(service.url, early)).toBe(200);
  const key = (await succeed('create', 'second')).trimEnd();
  expect(await statusWith(service.url, key)).toBe(200);
  const list = await succeed('list');
  // There was a key when the service started: it made none.
  const names = list.split('\n').map((line) => line.split(/ {2,}/)[4]);
  expect(names).toEqual(['NAME', 'early', 'second', undefined]);

  const [, id = ''] = /^(\d+) .* second$/m.exec(list) ?? [];
  const replacement = (await succeed('rotate', id, '--grace', '1h')).trimEnd();
  expect(await statusWith(service.url, key)).toBe(200);
  expect(await statusWith(service.url, replacement)).toBe(200);

  const { child } = service;
  child.kill('SIGTERM');
  expect(await child.exit).toEqual({ code: 0, signal: null });
  // Nor did it show any, or miss its database.
  expect(child.stderr()).toBe('');
  expect(child.stdout()).not.toMatch(/asg_|"level":[456]0/);
});

type Run = (surroundings: Surroundings) => ReturnType<typeof runInProcess>;

test.each<[string, Run]>([
  ['keys', (io) => runInProcess(keys, ['list'], io)],
  ['keys', (io) => runInProcess(keys, ['revoke', '1'], io)],
  ['keys', (io) => runInProcess(keys, ['rotate', '1'], io)],
  ['deprecations', (io) => runInProcess(deprecations, [], io)],
  ['documents', (io) => runInProcess(documents, ['--list'], io)],
  ['documents', (io) => runInProcess(documents, ['--remove', 'a'.repeat(64)], io)],
  ['backup', (io) => runInProcess(backup, ['/tmp/never-made'], io)],
])('in a folder without a store, %s says so, and makes none', async (name, run) => {
  await using data = await temporaryDirectory();
  expect(await run({ env: { DATA_DIR: data.path } })).toEqual({
    code: 1,
    stdout: '',
    stderr: `${name}: DATA_DIR: there is no store in ${data.path}; set it to the folder of the service's\n`,
  });
  expect(await readdir(data.path)).toEqual([]);
});
