import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageScripts } from '../support/package-scripts.ts';
import { processesNaming } from '../support/process-list.ts';
import { runScript } from '../support/process.ts';
import { temporaryDirectory, temporaryTree } from '../support/temporary-directory.ts';

const script = (await packageScripts()).get('dev') ?? '';

test('dev starts again when a source or a migration changes, and Ctrl-C ends it all', async () => {
  await using copy = await temporaryTree();
  await using data = await temporaryDirectory();
  const env = { DATA_DIR: data.path, PORT: '0' };
  await using dev = runScript(script, { env, root: copy.path });
  await dev.line('stdout', (line) => line.includes('"listening"'));

  const program = join(copy.path, 'packages', 'gateway', 'src', 'commands', 'serve.ts');
  await writeFile(program, (await readFile(program, 'utf8')).replace("'listening'", "'changed'"));
  const changed = await dev.line('stdout', (line) => line.includes('"changed"'));
  const [, url = ''] = /"url":"([^"]+)"/.exec(changed) ?? [];
  expect((await fetch(`${url}/v1/pets`)).status).toBe(401);

  // It comes whole: for a folder, and then for its file, dev might start twice.
  const migration = join(copy.path, '99990101000000_change');
  await mkdir(migration);
  await writeFile(join(migration, 'migration.sql'), 'CREATE TABLE changes ();\n');
  await rename(migration, join(copy.path, 'prisma', 'migrations', '99990101000000_change'));
  await expect.poll(() => starts(dev.stdout())).toBeGreaterThan(1);

  dev.kill('SIGINT');
  expect(await dev.exit).toEqual({ code: 0, signal: null });
  expect(await processesNaming(data.path)).toEqual([]);
});

/** How often the changed source has begun to listen. */
function starts(stdout: string): number {
  return stdout.split('"changed"').length - 1;
}
