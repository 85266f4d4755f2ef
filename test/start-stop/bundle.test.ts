import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keptForFile } from '../support/clean-up.ts';
import { runEntry, runProgram } from '../support/process.ts';
import { temporaryTree } from '../support/temporary-directory.ts';

const tree = keptForFile(
  await temporaryTree(['docs', 'package.json', 'packages', 'prisma', 'scripts', 'src']),
);

const CACHES = join(tree.path, 'node_modules', '.cache');

function kept(): Promise<string[]> {
  return readdir(join(CACHES, 'animal-store-gateway'), { recursive: true });
}

/** Loads what every start loads; returns the first word of the help text. */
async function begin(): Promise<string> {
  await using child = runEntry('src/main.ts', { args: ['--help'], root: tree.path });
  expect(await child.exit).toEqual({ code: 0, signal: null });
  expect(child.stderr()).toBe('');
  return child.stdout().split(' ', 1)[0] ?? '';
}

test('the service starts without a compile cache', async () => {
  await writeFile(CACHES, 'in the way');
  expect(await begin()).toBe('Runs');
  await rm(CACHES);
});

test('a start stores its compiled code next to the packages for later starts', async () => {
  expect(await begin()).toBe('Runs');
  const files = await kept();
  // The cache includes the program and its packages, not only the entry point.
  expect(files.length).toBeGreaterThan(50);

  expect(await begin()).toBe('Runs');
  expect(await kept()).toEqual(files);
});

const HELP = 'packages/gateway/src/commands/serve.ts';
const BUNDLE = 'node_modules/.cache/gateway-bundle';

/** Changes the first words of the help text in a file of the tree. */
async function beginHelp(file: string, words: string): Promise<void> {
  const parts = (await readFile(join(tree.path, file), 'utf8')).split('`Runs ');
  expect(parts).toHaveLength(2);
  await writeFile(join(tree.path, file), parts.join(`\`${words} `));
}

test('a start runs the bundle until a source file changes', async () => {
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
