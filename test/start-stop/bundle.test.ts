import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onFileFinished } from '../support/clean-up.ts';
import { runEntry, runProgram } from '../support/process.ts';
import { temporaryTree } from '../support/temporary-directory.ts';

const tree = await temporaryTree(['docs', 'package.json', 'packages', 'prisma', 'scripts', 'src']);
onFileFinished(() => tree[Symbol.asyncDispose]());

const HELP = 'packages/gateway/src/commands/serve.ts';
const BUNDLE = 'node_modules/.cache/gateway-bundle';

/** Has a file of the tree begin the help otherwise. */
async function beginHelp(file: string, words: string): Promise<void> {
  const parts = (await readFile(join(tree.path, file), 'utf8')).split('`Runs ');
  expect(parts).toHaveLength(2);
  await writeFile(join(tree.path, file), parts.join(`\`${words} `));
}

/** How the help begins, by the one of them that runs. */
async function begin(): Promise<string> {
  await using child = runEntry('src/main.ts', { args: ['--help'], root: tree.path });
  expect(await child.exit).toEqual({ code: 0, signal: null });
  expect(child.stderr()).toBe('');
  return child.stdout().split(' ', 1)[0] ?? '';
}

test('a start runs the bundle as long as the sources are those that it was made of', async () => {
  await using bundling = runProgram(process.execPath, ['scripts/bundle.ts'], { root: tree.path });
  expect(await bundling.exit).toEqual({ code: 0, signal: null });
  const files = await readdir(join(tree.path, BUNDLE));
  const program =
    (
      await Promise.all(
        files.map(async (name) => ({
          name,
          text: await readFile(join(tree.path, BUNDLE, name), 'utf8'),
        })),
      )
    ).find(({ text }) => text.includes('`Runs '))?.name ?? '';
  await beginHelp(join(BUNDLE, program), 'Bundled');
  expect(await begin()).toBe('Bundled');

  await beginHelp(HELP, 'Changed');
  expect(await begin()).toBe('Changed');
});
