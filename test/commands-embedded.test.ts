import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runEntry } from './support/process.ts';
import { firstKey } from './support/service.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** Runs a command on a data folder that has to succeed with nothing on stderr. */
async function keys(dataDirectory: string, ...args: string[]): Promise<string> {
  const env = { DATA_DIR: dataDirectory };
  await using command = runEntry('src/commands/keys.ts', { args, env });
  const { code } = await command.exit;
  expect({ code, stderr: command.stderr() }).toEqual({ code: 0, stderr: '' });
  return command.stdout();
}

/** Starts the service on a data folder; `url` is where it listens. */
async function startService(dataDirectory: string) {
  const service = runEntry('src/main.ts', { env: { DATA_DIR: dataDirectory, PORT: '0' } });
  const line = await service.line('stdout', (text) => text.includes('"listening"'));
  const [, url = ''] = /"url":"([^"]+)"/.exec(line) ?? [];
  return { service, url };
}

async function statusWith(url: string, key: string): Promise<number> {
  const answer = await fetch(`${url}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.status;
}

test('without a service, a key is made on the embedded database, and a service takes it', async () => {
  await using data = await temporaryDirectory();
  const stdout = await keys(data.path, 'create', 'early');
  expect(stdout).toMatch(/^asg_[0-9A-Za-z]{49}\n$/);

  const { service, url } = await startService(data.path);
  await using _ = service;
  expect(await statusWith(url, stdout.trimEnd())).toBe(200);
  service.kill('SIGTERM');
  expect(await service.exit).toEqual({ code: 0, signal: null });
  // There was a key already: none is made, nor shown.
  expect(service.stderr()).toBe('');
});

test('while a service runs, commands work beside it and leave its database running', async () => {
  await using data = await temporaryDirectory();
  const { service, url } = await startService(data.path);
  await using _ = service;
  const first = await firstKey({ child: service });
  expect(await statusWith(url, first)).toBe(200);

  const key = (await keys(data.path, 'create', 'second')).trimEnd();
  expect(await statusWith(url, key)).toBe(200);
  const list = await keys(data.path, 'list');
  expect(list.split('\n').map((line) => line.split(/ {2,}/)[4])).toEqual([
    'NAME',
    'first',
    'second',
    undefined,
  ]);

  const [, id = ''] = /^(\d+) .* second$/m.exec(list) ?? [];
  const replacement = (await keys(data.path, 'rotate', id, '--grace', '1h')).trimEnd();
  expect([await statusWith(url, key), await statusWith(url, replacement)]).toEqual([200, 200]);
  expect(service.stdout()).not.toMatch(/asg_|"level":[456]0/);
});

test.each([
  ['keys', ['list']],
  ['keys', ['revoke', '1']],
  ['keys', ['rotate', '1']],
  ['deprecations', []],
  ['documents', ['--list']],
  ['documents', ['--remove', 'a'.repeat(64)]],
  ['backup', ['/tmp/never-made']],
] as const)('in a folder without a store, %s %j says so, and makes none', async (name, args) => {
  await using data = await temporaryDirectory();
  const env = { DATA_DIR: data.path };
  await using command = runEntry(`src/commands/${name}.ts`, { args, env });
  expect(await command.exit).toEqual({ code: 1, signal: null });
  expect([command.stdout(), command.stderr()]).toEqual([
    '',
    `${name}: DATA_DIR: there is no store in ${data.path}; set it to the folder of the service's\n`,
  ]);
  expect(await readdir(data.path)).toEqual([]);
});
