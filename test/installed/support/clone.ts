import { execFile } from 'node:child_process';
import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { linkInstalled } from '../../support/temporary-directory.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
const TOOLS = 'scripts/release/node_modules';
/** Files that `npm ci` generates. */
const GENERATED = ['prisma/generated', 'packages/gateway/src/graphql/playground/generated'];

/** Copies this repository, with uncommitted changes and everything installed, into a new repository. */
export async function clone(folder: string): Promise<void> {
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await run('git', listing, { cwd: ROOT, maxBuffer: 2 ** 24 });
  const paths = [...stdout.split('\0').filter((path) => path !== ''), ...GENERATED];
  const copying = paths.map((path) =>
    cp(join(ROOT, path), join(folder, path), { recursive: true }).catch(ignoreDeleted),
  );
  await Promise.all(copying);
  await linkInstalled(folder);
  await symlink(join(ROOT, TOOLS), join(folder, TOOLS));
  await run('git', ['init', '--quiet'], { cwd: folder });
}

function ignoreDeleted(failure: NodeJS.ErrnoException): void {
  if (failure.code !== 'ENOENT') throw failure;
}
