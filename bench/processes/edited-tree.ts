import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type TemporaryDirectory, temporaryTree } from '../../test/support/temporary-directory.ts';
import { inherited } from './command.ts';

const PARTS = ['docs', 'packages', 'prisma', 'prisma.config.ts', 'scripts', 'src', 'package.json'];

/**
 * Changes a file of the copy, or writes the changed text to another file.
 *
 * @throws Error if the change has no effect
 */
export type Edit = (
  file: string,
  change: (text: string) => string,
  target?: string,
) => Promise<void>;

/** Makes a copy of the gateway with an edited schema, and the migration for it. */
export async function editedTree(
  migration: string,
  edit: (edit: Edit) => Promise<void>,
  signal: AbortSignal,
): Promise<TemporaryDirectory> {
  const tree = await copyWith(edit);
  const run = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, args, { cwd: tree.path, env: inherited(), signal });
  await run('node_modules/prisma/build/index.js', 'generate');
  await run('packages/local/src/create-migration/main.ts', migration);
  return tree;
}

/** Makes a copy of the gateway with changed files. */
export async function copyWith(edit: (edit: Edit) => Promise<void>): Promise<TemporaryDirectory> {
  await using stack = new AsyncDisposableStack();
  const tree = stack.use(await temporaryTree(PARTS));
  await edit(async (file, change, target = file) => {
    const text = await readFile(join(tree.path, file), 'utf8');
    const changed = change(text);
    if (changed === text) throw new Error(`${file} does not contain the text to change`);
    await writeFile(join(tree.path, target), changed);
  });
  stack.move();
  return tree;
}
