import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { installInto } from './support/install-into.ts';
import { runWith, THIS_NODE } from './support/nodes.ts';

test('a package installs and runs outside this repository', async () => {
  await using folder = await temporaryDirectory();
  await installInto(folder.path, ['@store-gateway/ops']);
  const program = `import { parseDuration } from '@store-gateway/ops/command-line'; console.log(parseDuration('2s'))`;
  const args = ['--input-type=module', '-e', program];
  expect(await runWith(THIS_NODE, folder.path, 'node', args)).toBe('2000\n');
});
