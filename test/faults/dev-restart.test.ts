import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageScripts } from '../support/help.ts';
import { processesNaming } from '../support/process-list.ts';
import { runScript } from '../support/process.ts';
import { temporaryDirectory, temporaryTree } from '../support/temporary-directory.ts';

test('dev restarts the service when a source file changes, and Ctrl-C also ends its PostgreSQL', async () => {
  await using copy = await temporaryTree();
  await using data = await temporaryDirectory();
  const env = { DATA_DIR: data.path, PORT: '0' };
  const script = (await packageScripts()).get('dev') ?? '';
  await using dev = runScript(script, { env, root: copy.path });
  await dev.line('stdout', (line) => line.includes('"listening"'));

  const program = join(copy.path, 'packages', 'gateway', 'src', 'commands', 'serve.ts');
  await writeFile(program, (await readFile(program, 'utf8')).replace("'listening'", "'changed'"));
  const changed = await dev.line('stdout', (line) => line.includes('"changed"'));
  const [, url = ''] = /"url":"([^"]+)"/.exec(changed) ?? [];
  expect((await fetch(`${url}/v1/pets`)).status).toBe(401);

  dev.kill('SIGINT');
  expect(await dev.exit).toEqual({ code: 0, signal: null });
  expect(await processesNaming(data.path)).toEqual([]);
});
