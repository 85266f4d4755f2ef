import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { runProgram } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { installRelease } from './installed-release.ts';

const execute = promisify(execFile);

export interface Machine extends AsyncDisposable {
  /**
   * Runs a shell script as root inside.
   *
   * @returns what it prints
   * @throws Error with all of its output, if a command of it fails
   */
  readonly run: (script: string) => Promise<string>;
}

const PACKAGES = ['systemd-sysv', 'procps', 'postgresql', 'curl', 'libatomic1'];
const MODULES = '/usr/lib/node_modules';
const ENVIRONMENT = [
  'HOME=/root',
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
];

/**
 * Boots Debian with a systemd of its own in a container, in a network of its own, with PostgreSQL, the tests' own Node, and
 * the service as installed but not set up.
 *
 * @throws Error if this user may not: it takes root on Linux, and Debian's mmdebstrap and systemd-container
 */
export async function bootMachine(): Promise<Machine> {
  const directory = await temporaryDirectory();
  const root = `${directory.path}/root`;
  const opt = `${directory.path}/opt`;
  const started = new AsyncDisposableStack();
  started.use(directory);
  try {
    await Promise.all([makeRoot(root), installRelease(opt)]);
    const nspawn = ['systemd-nspawn --boot --quiet --console=pipe --register=no --keep-unit'];
    nspawn.push(`--private-network --directory=${root} --bind-ro=${opt}:/opt`);
    // The shell's process becomes that of systemd-nspawn.
    const child = runProgram('sh', ['-c', `echo $$; exec ${nspawn.join(' ')}`], {});
    started.use(child);
    const pid = await child.line('stdout', (line) => /^\d+$/.test(line));
    const run = async (script: string) => {
      const leader = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim();
      const command = ['env', '-i', ...ENVIRONMENT, 'bash', '-ec', script];
      return (await execute('nsenter', ['--target', leader, '--all', ...command])).stdout;
    };
    await vi.waitFor(() => run('systemctl is-system-running'), { timeout: 60_000, interval: 100 });
    const booted = started.move();
    return { run, [Symbol.asyncDispose]: () => booted.disposeAsync() };
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}

async function makeRoot(root: string): Promise<void> {
  const npm = await execute('sh', ['-c', 'dirname "$(dirname "$(realpath "$(command -v npm)")")"']);
  await execute('mmdebstrap', [
    '--quiet',
    '--variant=apt',
    `--include=${PACKAGES.join()}`,
    `--customize-hook=mkdir -p "$1${MODULES}"`,
    `--customize-hook=upload ${process.execPath} /usr/bin/node`,
    `--customize-hook=copy-in ${npm.stdout.trim()} ${MODULES}`,
    `--customize-hook=chmod 755 "$1/usr/bin/node"; ln -s ${MODULES}/npm/bin/npm-cli.js "$1/usr/bin/npm"`,
    // It would wait for two minutes for a network that this machine hasn't.
    '--customize-hook=systemctl --root "$1" --quiet disable systemd-networkd-wait-online',
    'bookworm',
    root,
  ]);
}
