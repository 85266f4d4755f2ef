import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { linkInstalled } from '../../test/support/temporary-directory.ts';
import { inherited } from '../processes/command.ts';
import { ROOT } from '../root.ts';
import { installedBy } from './lock-file.ts';

/** Extracts a commit into a new folder, with its dependencies and generated code. */
export async function baseTree(commit: string, path: string, signal: AbortSignal): Promise<void> {
  await mkdir(path);
  const run = (file: string, args: readonly string[], cwd: string) =>
    promisify(execFile)(file, args, { cwd, env: inherited(), signal });
  const archive = `${path}.tar`;
  await run('git', ['archive', `--output=${archive}`, commit], ROOT);
  await run('tar', ['-xf', archive], path);

  const [ours, theirs] = await Promise.all(
    [ROOT, path].map(async (root) =>
      installedBy(await readFile(join(root, 'package-lock.json'), 'utf8')),
    ),
  );
  if (ours === theirs) await linkInstalled(path);
  else {
    await run('npm', ['ci', '--ignore-scripts'], path);
    // Replaces what the package `node` would fetch in its install script, because the service doesn't start without it.
    const node = join(path, 'node_modules/.bin/node');
    await rm(node, { force: true });
    await symlink(process.execPath, node);
  }
  // npm puts the commit's own commands first in the path, so Prisma runs the commit's generator.
  await run('npm', ['run', 'generate'], path);
  // Generates GraphiQL's files, without which the service does not start. Commits that lack the script have them in the
  // repository.
  await run('npm', ['run', 'generate:graphiql', '--if-present'], path);
}
