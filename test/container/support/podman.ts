import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runProgram, type ChildEntry } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

export interface Podman extends AsyncDisposable {
  /** Runs a command of podman to its end, and gives what it prints. */
  readonly run: (args: readonly string[]) => Promise<string>;
  /** Starts a command of podman that goes on, such as a container in the foreground. */
  readonly start: (args: readonly string[]) => ChildEntry;
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const CONTAINERS_CONF = fileURLToPath(new URL('containers.conf', import.meta.url));
/** Of statfs(2). */
const OVERLAYFS = 0x79_4c_76_30;
/** crun refuses machines that mount control groups of both versions, though it is told to use none. Nothing stays mounted. */
const OWN_MOUNTS = 'mount -t tmpfs none /sys/fs/cgroup && echo $$ && exec cat';

/** Podman with mounts, images and containers of its own, which are gone with it. */
export async function openPodman(): Promise<Podman> {
  const directory = await temporaryDirectory();
  const { path } = directory;
  // Overlays can't be stacked on those of a container that the tests run in.
  const driver = (await statfs(path)).type === OVERLAYFS ? 'vfs' : 'overlay';
  const mounts = runProgram('unshare', ['--mount', 'sh', '-c', OWN_MOUNTS], {});
  const namespace = `/proc/${await mounts.line('stdout', Boolean)}/ns/mnt`;
  const folders = [
    '--root',
    `${path}/storage`,
    '--runroot',
    `${path}/run`,
    '--tmpdir',
    `${path}/tmp`,
  ];
  const options = [...folders, '--storage-driver', driver];
  const program = [`--mount=${namespace}`, `--wd=${ROOT}`, 'podman', ...options];
  return {
    run: (args) => outputOf('nsenter', [...program, ...args], { CONTAINERS_CONF }),
    start: (args) => runProgram('nsenter', [...program, ...args], { env: { CONTAINERS_CONF } }),
    [Symbol.asyncDispose]: async () => {
      await mounts[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/**
 * Runs a program to its end with this machine's own environment, of which building needs what it says of the network.
 *
 * @returns what it prints
 */
export async function outputOf(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const options = {
    cwd: ROOT,
    // oxlint-disable-next-line node/no-process-env -- it is handed on
    env: { ...process.env, ...env },
    maxBuffer: Infinity,
  };
  const { stdout } = await promisify(execFile)(program, args, options);
  return stdout.trim();
}
