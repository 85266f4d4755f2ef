import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { packageScripts } from '../support/package-scripts.ts';
import { runScript } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** In the place of the service: says that it has started. */
const programSaying = (text: string) =>
  `console.log('${text}'); setInterval(() => undefined, 1000);`;

const script = (await packageScripts()).get('dev') ?? '';

// With the service itself: test/faults/dev-restart.test.ts.
test('dev starts again when a source or a migration changes, and Ctrl-C ends it all', async () => {
  await using folder = await temporaryDirectory();
  const write = async (path: string, text: string) => {
    const file = join(folder.path, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  await write('packages/gateway/preflight.cjs', '');
  await write('src/main.ts', programSaying('starts'));
  await write('packages/ops/src/log/log.ts', '');
  await write('prisma/migrations/1/migration.sql', '');
  await using dev = runScript(script, { root: folder.path });
  await dev.line('stdout', (line) => line === 'starts');

  await write('src/main.ts', programSaying('starts anew'));
  await dev.line('stdout', (line) => line === 'starts anew');
  // One change may be noticed twice.
  const starts = () => dev.stdout().split('starts anew\n').length - 1;
  for (const changed of [
    'src/schema/pet.ts',
    'packages/ops/src/log/log.ts',
    'prisma/migrations/2/migration.sql',
  ]) {
    const before = starts();
    await write(changed, '');
    await expect.poll(starts).toBeGreaterThan(before);
  }

  dev.kill('SIGINT');
  expect(await dev.exit).toEqual({ code: 0, signal: null });
});
