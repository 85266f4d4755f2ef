import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { inherited } from '../../../bench/processes/command.ts';
import { fencedBlocks } from '../../support/documentation/steps.ts';
import { runProgram } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { makeDebian, ROOT } from './debian.ts';

const execute = promisify(execFile);

export interface Machine extends AsyncDisposable {
  /**
   * Runs a shell script as root inside the machine.
   *
   * @returns its stdout
   * @throws Error with all of its output if one of its commands fails
   */
  readonly run: (script: string) => Promise<string>;
}

/** Debian's systemd and PostgreSQL, the programs that the tests use, and the libraries that Node is linked with. */
const PACKAGES = ['systemd-sysv', 'procps', 'postgresql', 'curl', 'libatomic1'];
/** Disables a service that would wait two minutes for a network that the machine does not have. */
const DONT_WAIT = 'systemctl --root "$1" --quiet disable systemd-networkd-wait-online';
const ENVIRONMENT = [
  'HOME=/root',
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
];

/**
 * Boots Debian in a container with its own systemd and network, PostgreSQL and the tests' Node. The service is installed,
 * but not set up.
 *
 * @throws Error unless run as root on Linux with Debian's mmdebstrap and systemd-container
 */
export async function bootMachine(): Promise<Machine> {
  await using started = new AsyncDisposableStack();
  const { path } = started.use(await temporaryDirectory());
  const root = `${path}/root`;
  const opt = `${path}/opt`;
  const finish = [DONT_WAIT];
  await Promise.all([
    makeDebian(root, { variant: 'apt', packages: PACKAGES, prefix: '/usr', finish }),
    installRelease(opt),
  ]);
  const nspawn = ['systemd-nspawn --boot --quiet --console=pipe --register=no --keep-unit'];
  nspawn.push(`--private-network --directory=${root} --bind-ro=${opt}:/opt`);
  // The shell replaces itself with systemd-nspawn, so its process id stays the same.
  const child = started.use(runProgram('sh', ['-c', `echo $$; exec ${nspawn.join(' ')}`], {}));
  const pid = await child.line('stdout', (line) => /^\d+$/.test(line));
  const run = async (script: string) => {
    const leader = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim();
    const command = ['env', '-i', ...ENVIRONMENT, 'bash', '-ec', script];
    return (await execute('nsenter', ['--target', leader, '--all', ...command])).stdout;
  };
  await vi.waitFor(() => run('systemctl is-system-running'), { timeout: 60_000, interval: 100 });
  const booted = started.move();
  return { run, [Symbol.asyncDispose]: () => booted.disposeAsync() };
}

/** Replaces the documented line, as the page says for the embedded PostgreSQL. */
const WITH_EMBEDDED = 'npm ci --omit=dev';

/** Clones this repository with its uncommitted changes, using a temporary index. */
const CLONE = `
  export GIT_INDEX_FILE="$1.index"
  git read-tree HEAD && git add --all
  commit=$(git -c user.name=test -c user.email=test@localhost commit-tree -p HEAD -m test "$(git write-tree)")
  unset GIT_INDEX_FILE
  git clone --quiet --shared --no-checkout . "$1"
  git -C "$1" checkout --quiet "$commit"`;

/**
 * Installs the service with the embedded PostgreSQL, as docs/operations.md says, in a new folder that becomes /opt of a
 * different root. The folder is mounted over this machine's /opt meanwhile, because only this machine's npm can reach
 * the registry.
 */
async function installRelease(opt: string): Promise<void> {
  await mkdir(opt);
  await using directory = await temporaryDirectory();
  const clone = `${directory.path}/clone`;
  await execute('sh', ['-ec', CLONE, 'sh', clone], { cwd: ROOT, env: inherited() });
  const install = await documented('docs/operations.md', 'git archive HEAD');
  const script = `mount --bind "$0" /opt\n${install.replace(/^npm .*$/m, WITH_EMBEDDED)}`;
  await execute('unshare', ['--mount', 'sh', '-ec', script, opt], { cwd: clone, env: inherited() });
}

/** Returns the first code block with some text in a page of the documentation. */
export async function documented(page: string, part: string): Promise<string> {
  const markdown = await readFile(join(ROOT, page), 'utf8');
  const block = fencedBlocks(markdown).find(({ text }) => text.includes(part));
  if (block === undefined) {
    throw new Error(`no code block in ${page} contains ${part}`);
  }
  return block.text;
}
