import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runEntry } from '../support/process.ts';
import { temporaryTree } from '../support/temporary-directory.ts';

const KEPT = 'node_modules/.cache/animal-store-gateway';
const SHOWN = { code: 0, signal: null, begin: 'Runs', stderr: '' };

/** Loads what every start does, and ends. */
async function load(root: string) {
  await using child = runEntry('src/main.ts', { args: ['--help'], root });
  const exit = await child.exit;
  return { ...exit, begin: child.stdout().slice(0, 4), stderr: child.stderr() };
}

test('what a start has compiled is kept beside the packages, and serves the next one', async () => {
  await using tree = await temporaryTree();
  expect(await load(tree.path)).toEqual(SHOWN);
  const files = await readdir(join(tree.path, KEPT), { recursive: true });
  // The program and its packages, not the entry alone.
  expect(files.length).toBeGreaterThan(50);

  expect(await load(tree.path)).toEqual(SHOWN);
  expect(await readdir(join(tree.path, KEPT), { recursive: true })).toEqual(files);
});

test('a start that can keep nothing does without', async () => {
  await using tree = await temporaryTree();
  await writeFile(join(tree.path, 'node_modules', '.cache'), 'in the way');
  expect(await load(tree.path)).toEqual(SHOWN);
});
