import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CommandFailure } from '@gateway/command-line/command-failure';
import { ROOT } from '../root.ts';

/** What a request runs. */
const CODE = ['src', 'packages', 'prisma', 'package.json', 'package-lock.json'];
const OTHER = ['*.md', 'packages/*/test/**'].map((path) => `:(exclude,glob)**/${path}`);

/**
 * The commit to compare with: HEAD, if its code was changed and not committed; otherwise the one before the last that
 * changed code. Undefined where there is none: in a shallow clone, in a new repository or in a copy without one.
 *
 * @param ref names another one
 * @throws CommandFailure (2) if there is no such commit
 */
export async function baseCommit(ref: string | undefined): Promise<string | undefined> {
  if (ref !== undefined) {
    const found = await commitOf(ref);
    if (found === undefined) throw new CommandFailure(2, `--base names no commit: ${ref}`);
    return found;
  }
  const paths = ['--', ...CODE, ...OTHER];
  if ((await git('status', '--porcelain', ...paths)) !== '') return commitOf('HEAD');
  const last = await git('rev-list', '-n', '1', '--first-parent', 'HEAD', ...paths);
  return last === undefined || last === '' ? undefined : commitOf(`${last}^`);
}

async function commitOf(ref: string): Promise<string | undefined> {
  return git('rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`);
}

/** Undefined if git fails, or isn't there. */
async function git(...args: readonly string[]): Promise<string | undefined> {
  try {
    return (await promisify(execFile)('git', args, { cwd: ROOT })).stdout.trim();
  } catch {
    return undefined;
  }
}
