import { access, readFile, statfs } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram, type ChildEntry } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { makeDebian, outputOf, ROOT } from './debian.ts';

interface Podman extends AsyncDisposable {
  /** Runs a podman command to its end and returns its output. */
  readonly run: (args: readonly string[]) => Promise<string>;
  /** Starts a podman command that keeps running, such as a container in the foreground. */
  readonly start: (args: readonly string[]) => ChildEntry;
}

const CONTAINERS_CONF = fileURLToPath(new URL('containers.conf', import.meta.url));
/** The file system type that statfs(2) returns for overlayfs. */
const OVERLAYFS = 0x79_4c_76_30;
/** Hides control groups, because crun fails on machines that mount both versions even if it uses none. The mount is private. */
const OWN_MOUNTS = 'mount -t tmpfs none /sys/fs/cgroup && echo $$ && exec cat';

/** Opens a Podman with its own mounts, images and containers, which are removed with it. */
export async function openPodman(): Promise<Podman> {
  const directory = await temporaryDirectory();
  const { path } = directory;
  // If the tests run in a container, overlays cannot be stacked on its overlay file system.
  const driver = (await statfs(path)).type === OVERLAYFS ? 'vfs' : 'overlay';
  const mounts = runProgram('unshare', ['--mount', 'sh', '-c', OWN_MOUNTS], {});
  const namespace = `/proc/${await mounts.line('stdout', Boolean)}/ns/mnt`;
  const folders = [`--root=${path}/storage`, `--runroot=${path}/run`, `--tmpdir=${path}/tmp`];
  const podman = ['podman', ...folders, `--storage-driver=${driver}`];
  const program = [`--mount=${namespace}`, `--wd=${ROOT}`, ...podman];
  return {
    run: (args) => outputOf('nsenter', [...program, ...args], { CONTAINERS_CONF }),
    start: (args) => runProgram('nsenter', [...program, ...args], { env: { CONTAINERS_CONF } }),
    [Symbol.asyncDispose]: async () => {
      await mounts[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** The libraries that Node is linked with. */
const LIBRARIES = ['libatomic1', 'libstdc++6'];

/**
 * Creates a replacement for the base image of deploy/Containerfile, because no registry may be reachable. Like the real
 * base image, it has Node, npm and a user for the service.
 */
export async function makeBaseImage(podman: Podman): Promise<string> {
  const name = await nameOfBase();
  await using directory = await temporaryDirectory();
  const archive = join(directory.path, 'base.tar');
  await makeDebian(archive, {
    variant: 'essential',
    packages: LIBRARIES,
    prefix: '/usr/local',
    finish: [
      'echo node:x:1000:1000::/home/node:/bin/sh >> "$1/etc/passwd"',
      'echo node:x:1000: >> "$1/etc/group"',
      'install -d -o 1000 -g 1000 "$1/home/node"',
    ],
  });
  await podman.run(['import', '--quiet', archive, name]);
  return name;
}

async function nameOfBase(): Promise<string> {
  const file = await readFile(join(ROOT, 'deploy/Containerfile'), 'utf8');
  const names = new Set(Array.from(file.matchAll(/^FROM (\S+)/gm), ([, name]) => name));
  const [name] = names;
  if (name === undefined || names.size > 1) {
    throw new Error(`deploy/Containerfile builds on ${[...names].join(' and ')}`);
  }
  return name;
}

/** Builds deploy/Containerfile as docs/operations.md says, with this machine's settings for reaching npm's registry. */
export async function buildImage(podman: Podman, name: string): Promise<void> {
  const volumes = (await npmSettings()).flatMap((volume) => ['--volume', volume]);
  const how = ['--network', 'host', '--isolation', 'chroot', '--layers=false'];
  const what = ['--format', 'docker', '-t', name, '-f', 'deploy/Containerfile', '.'];
  await podman.run(['build', ...how, ...volumes, ...what]);
}

/** Returns volumes for npm's settings and certificates, which are mounted during the build and so not part of the image. */
async function npmSettings(): Promise<readonly string[]> {
  // Excludes settings that depend on this project's Node or that npm passes to its scripts.
  const PATH = (await outputOf('printenv', ['PATH']))
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter);
  const ofMachine = { PATH, npm_config_prefix: undefined, npm_config_globalconfig: undefined };
  const places = { userconfig: '/root/.npmrc', globalconfig: '/usr/local/etc/npmrc', cafile: '' };
  const volumes = Object.entries(places).map(async ([setting, place]) => {
    const file = await outputOf('npm', ['config', 'get', setting], ofMachine);
    return (await isThere(file)) ? [`${file}:${place || file}:ro`] : [];
  });
  return (await Promise.all(volumes)).flat();
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
