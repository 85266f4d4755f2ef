import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CommandFailure } from '@store-gateway/ops/command-line';
import { ROOT } from '../root.ts';

/** Paths of the code that requests run. */
const CODE = ['src', 'packages', 'prisma', 'package.json', 'package-lock.json'];
const OTHER = ['*.md', 'packages/*/test/**'].map((path) => `:(exclude,glob)**/${path}`);
const PATHS = ['--', ...CODE, ...OTHER];

/** A commit to compare with, or the reason why there is none. */
export type Base = { readonly commit: string; readonly why: string } | { readonly none: string };

/**
 * Returns the commit to compare with: HEAD if code was changed and not committed; otherwise the first parent of the last commit
 * that changed code, which is HEAD unless HEAD only changed something else. There is none in a copy without a repository, in a
 * shallow clone without that parent, or if the code was never changed.
 *
 * @param ref names another commit
 * @throws CommandFailure (2) if there is no such commit, (1) if git fails
 */
export async function baseCommit(ref: string | undefined, root = ROOT): Promise<Base> {
  const commitOf = (name: string) =>
    git(root, 'rev-parse', '--verify', '--end-of-options', `${name}^{commit}`);
  if (ref !== undefined) {
    const commit = await commitOf(ref).catch((error: unknown) => {
      throw new CommandFailure(2, `--base names no commit: ${ref}`, { cause: error });
    });
    return { commit, why: '--base' };
  }
  if (!existsSync(join(root, '.git'))) return { none: 'there is no git repository here' };
  const head = await commitOf('HEAD');
  if ((await git(root, 'status', '--porcelain', ...PATHS)) !== '') {
    return { commit: head, why: 'HEAD, because there are uncommitted code changes' };
  }
  const last = await git(root, 'rev-list', '-n', '1', '--first-parent', 'HEAD', ...PATHS);
  const line = last === '' ? '' : await git(root, 'rev-list', '--parents', '-n', '1', last);
  const [, parent] = line.split(' ');
  if (parent !== undefined) {
    const which = last === head ? 'HEAD' : `${last.slice(0, 9)}, the last to change code`;
    return { commit: parent, why: `the first parent of ${which}` };
  }
  const isShallow = (await git(root, 'rev-parse', '--is-shallow-repository')) === 'true';
  return {
    none: isShallow
      ? "this shallow clone lacks the previous commit; 'git fetch --deepen 10' may fetch it"
      : 'no earlier commit has different code',
  };
}

async function git(root: string, ...args: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)('git', args, { cwd: root })).stdout.trim();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(1, `git found no commit to compare with: ${reason}`, {
      cause: error,
    });
  }
}
