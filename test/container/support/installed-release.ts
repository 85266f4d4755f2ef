import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inherited } from '../../../bench/processes/command.ts';
import { documented } from './documented.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const run = promisify(execFile);
const ROOT = new URL('../../../', import.meta.url);

/** In place of the documented line, as the page says below it. */
const WITH_EMBEDDED = 'npm ci --omit=dev';

/** A clone of this repository as it is, with what isn't committed yet; its index is one of its own meanwhile. */
const CLONE = `
  export GIT_INDEX_FILE="$1.index"
  git read-tree HEAD && git add --all
  commit=$(git -c user.name=test -c user.email=test@localhost commit-tree -p HEAD -m test "$(git write-tree)")
  unset GIT_INDEX_FILE
  git clone --quiet --shared --no-checkout . "$1"
  git -C "$1" checkout --quiet "$commit"`;

/**
 * Installs the service, with the embedded PostgreSQL, in a new folder that becomes the /opt of another root, as
 * docs/operations.md says: with this machine's npm, which knows the way to the registry, while the folder is mounted over
 * this machine's /opt.
 */
export async function installRelease(opt: string): Promise<void> {
  await mkdir(opt);
  await using directory = await temporaryDirectory();
  const clone = `${directory.path}/clone`;
  await run('sh', ['-ec', CLONE, 'sh', clone], { cwd: ROOT, env: inherited() });
  const install = await documented('docs/operations.md', 'git archive HEAD');
  const script = `mount --bind "$0" /opt\n${install.replace(/^npm .*$/m, WITH_EMBEDDED)}`;
  await run('unshare', ['--mount', 'sh', '-ec', script, opt], { cwd: clone, env: inherited() });
}
