import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { installInto } from './support/install-into.ts';
import { runWith, THIS_NODE } from './support/nodes.ts';
import { packedTarballs } from './support/tarballs.ts';

test('each package that this repository has is packed', async () => {
  const folders = await readdir(join(import.meta.dirname, '../../packages'), {
    withFileTypes: true,
  });
  const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const packed = (await packedTarballs()).map(({ name }) => name);
  expect(packed.toSorted()).toEqual(names.map((name) => `@store-gateway/${name}`).toSorted());
});

test('a package installs and runs outside this repository', async () => {
  await using folder = await temporaryDirectory();
  await installInto(folder.path, ['@store-gateway/command-line']);
  const program = `import { parseDuration } from '@store-gateway/command-line/duration'; console.log(parseDuration('2s'))`;
  const args = ['--input-type=module', '-e', program];
  expect(await runWith(THIS_NODE, folder.path, 'node', args)).toBe('2000\n');
});
