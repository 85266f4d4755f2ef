import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { baseCommit } from '../../bench/quick/base-commit.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const USER = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];

async function git(root: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', [...USER, ...args], { cwd: root });
  return stdout.trim();
}

/** Writes a file and commits it; resolves to the commit. */
async function commit(root: string, file: string): Promise<string> {
  const path = join(root, file);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, `${Math.random()}\n`);
  await git(root, 'add', '.');
  await git(root, 'commit', '--quiet', '-m', file);
  return git(root, 'rev-parse', 'HEAD');
}

/** A repository with two commits that change code. */
async function repository(stack: AsyncDisposableStack) {
  const root = stack.use(await temporaryDirectory()).path;
  await git(root, 'init', '--quiet', '--initial-branch=main');
  const first = await commit(root, 'src/a.ts');
  const second = await commit(root, 'packages/p/src/a.ts');
  return { root, first, second };
}

test('HEAD is compared with its first parent', async () => {
  await using stack = new AsyncDisposableStack();
  const { root, first } = await repository(stack);
  const why = 'the first parent of HEAD';
  expect(await baseCommit(undefined, root)).toEqual({ commit: first, why });
});

test('a merge is compared with what it was merged into', async () => {
  await using stack = new AsyncDisposableStack();
  const { root, first, second } = await repository(stack);
  await git(root, 'checkout', '--quiet', '-b', 'branch', first);
  await commit(root, 'src/b.ts');
  await commit(root, 'src/c.ts');
  await git(root, 'checkout', '--quiet', 'main');
  await git(root, 'merge', '--quiet', '--no-ff', '-m', 'merge', 'branch');
  expect(await baseCommit(undefined, root)).toMatchObject({ commit: second });
});

test('commits that change no code are passed over, and what is not committed comes before', async () => {
  await using stack = new AsyncDisposableStack();
  const { root, first, second } = await repository(stack);
  await commit(root, 'docs/a.md');
  await commit(root, 'packages/p/README.md');
  const head = await commit(root, 'packages/p/test/a.test.ts');
  const why = `the first parent of ${second.slice(0, 9)}, the last to change code`;
  expect(await baseCommit(undefined, root)).toEqual({ commit: first, why });
  await writeFile(join(root, 'docs/a.md'), 'changed');
  expect(await baseCommit(undefined, root)).toEqual({ commit: first, why });
  await writeFile(join(root, 'src/a.ts'), 'changed');
  expect(await baseCommit(undefined, root)).toMatchObject({ commit: head });
  expect(await baseCommit('HEAD~3', root)).toEqual({ commit: second, why: '--base' });
  await expect(baseCommit('HEAD~9', root)).rejects.toMatchObject({ exitCode: 2 });
});

test('it is told why there is nothing to compare with', async () => {
  await using stack = new AsyncDisposableStack();
  const { root, second } = await repository(stack);
  const { path } = stack.use(await temporaryDirectory());
  expect(await baseCommit(undefined, path)).toEqual({
    none: expect.stringContaining('no git repository') as unknown,
  });

  const shallow = join(path, 'shallow');
  await git(path, 'clone', '--quiet', '--depth=1', `file://${root}`, shallow);
  expect(await git(shallow, 'rev-parse', 'HEAD')).toBe(second);
  expect(await baseCommit(undefined, shallow)).toEqual({
    none: expect.stringContaining('too shallow') as unknown,
  });

  await git(root, 'checkout', '--quiet', 'HEAD^');
  expect(await baseCommit(undefined, root)).toEqual({
    none: expect.stringContaining('no commit before') as unknown,
  });
});

test('a repository that git refuses to read is an error, rather than nothing to compare with', async () => {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await temporaryDirectory());
  await writeFile(join(path, '.git'), 'gitdir: /nowhere\n');
  await expect(baseCommit(undefined, path)).rejects.toMatchObject({ exitCode: 1 });
});
