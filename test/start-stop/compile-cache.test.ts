import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onFileFinished } from '../support/clean-up.ts';
import { runEntry } from '../support/process.ts';
import { temporaryTree } from '../support/temporary-directory.ts';

const tree = await temporaryTree(['docs', 'package.json', 'packages', 'prisma', 'src']);
onFileFinished(() => tree[Symbol.asyncDispose]());

const CACHES = join(tree.path, 'node_modules', '.cache');
const SHOWN = { code: 0, signal: null, begin: 'Runs', stderr: '' };

function kept(): Promise<string[]> {
  return readdir(join(CACHES, 'animal-store-gateway'), { recursive: true });
}

/** Loads what every start does, and ends. */
async function load() {
  await using child = runEntry('src/main.ts', { args: ['--help'], root: tree.path });
  const exit = await child.exit;
  return { ...exit, begin: child.stdout().slice(0, 4), stderr: child.stderr() };
}

test('a start that can keep nothing of what it has compiled does without', async () => {
  await writeFile(CACHES, 'in the way');
  expect(await load()).toEqual(SHOWN);
  await rm(CACHES);
});

test('what a start has compiled is kept beside the packages, and serves the next one', async () => {
  expect(await load()).toEqual(SHOWN);
  const files = await kept();
  // The program and its packages, not the entry alone.
  expect(files.length).toBeGreaterThan(50);

  expect(await load()).toEqual(SHOWN);
  expect(await kept()).toEqual(files);
});
