import { backup, deprecations, documents, keys } from '../support/store-commands.ts';
import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runInProcess, type Surroundings } from '../support/command.ts';
import { requestOf } from '../support/gateway.ts';
import { processesNaming } from '../support/process-list.ts';
import { runEntry } from '../support/process.ts';
import { logWithoutDelays, startPatientService, stop } from '../support/service.ts';
import { testFolder } from '../support/test-folder.ts';

const data = await testFolder();
const env = { DATA_DIR: data };

/** The first command that uses the folder, which creates the store. */
const first = runEntry('src/main.ts keys', { args: ['create', 'early'], env });
const exit = await first.exit;
const leftBehind = await processesNaming(data);

test('keys create without a running service creates a store and a key, then stops PostgreSQL', () => {
  expect([exit, first.stderr()]).toEqual([{ code: 0, signal: null }, '']);
  expect(first.stdout()).toMatch(/^asg_\w+\n$/);
  expect(leftBehind).toEqual([]);
});

test('a service accepts keys that npm run keys creates before its start and while it runs', async () => {
  await using service = await startPatientService(env);
  const { child, url } = service;
  const succeed = async (...args: string[]) => {
    const { stdout, ...outcome } = await runInProcess(keys, args, { env });
    expect(outcome).toEqual({ code: 0, stderr: '' });
    return stdout.trimEnd();
  };
  const statusWith = async (key: string) => (await requestOf(url, key)('/v1/pets')).status;

  expect(await statusWith(first.stdout().trimEnd())).toBe(200);
  const key = await succeed('create', 'second');
  expect(await statusWith(key)).toBe(200);
  const list = await succeed('list');
  // A key already existed when the service started, so the service did not create one.
  const names = list.split('\n').map((line) => line.split(/ {2,}/).at(-1));
  expect(names).toEqual(['NAME', 'early', 'second']);

  const [, id = ''] = /^(\d+) .* second$/m.exec(list) ?? [];
  const replacement = await succeed('rotate', id, '--grace', '1h');
  expect([await statusWith(key), await statusWith(replacement)]).toEqual([200, 200]);

  await stop(service);
  // The service neither printed a key nor lost its database.
  expect(child.stderr()).toBe('');
  expect(logWithoutDelays(child)).not.toMatch(/asg_|"level":[456]0/);
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
])('npm run %s fails on a folder without a store and does not create one', async (name, run) => {
  const empty = await testFolder();
  expect(await run({ env: { DATA_DIR: empty } })).toEqual({
    code: 1,
    stdout: '',
    stderr: `${name}: DATA_DIR: there is no store in ${empty}; set it to the service's data folder\n`,
  });
  expect(await readdir(empty)).toEqual([]);
});
