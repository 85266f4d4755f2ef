import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The code name of Debian 12. */
const CODENAME = 'bookworm';
/** Milliseconds before another attempt after a mirror was unavailable. */
const PAUSE = 20_000;

export interface DebianOptions {
  /** The set of packages that mmdebstrap installs in addition. */
  readonly variant: 'essential' | 'apt';
  readonly packages: readonly string[];
  /** The folder below which Node is installed, /usr or /usr/local. */
  readonly prefix: string;
  /** Shell commands to run at the end, in which `$1` is the root of the file system. */
  readonly finish: readonly string[];
}

/**
 * Creates a root file system of Debian with the tests' Node and this machine's npm.
 *
 * @param target a folder, or an archive if its name ends with .tar
 */
export async function makeDebian(target: string, options: DebianOptions): Promise<void> {
  const { variant, packages, prefix, finish } = options;
  const npm = dirname(dirname(await outputOf('sh', ['-c', 'realpath "$(command -v npm)"'])));
  const modules = `${prefix}/lib/node_modules`;
  const hooks = [
    `mkdir -p "$1${modules}" "$1${prefix}/bin"`,
    `upload ${process.execPath} ${prefix}/bin/node`,
    `chmod 755 "$1${prefix}/bin/node"`,
    `copy-in ${npm} ${modules}`,
    `ln -s ${modules}/npm/bin/npm-cli.js "$1${prefix}/bin/npm"`,
    ...finish,
  ].map((hook) => `--customize-hook=${hook}`);
  const what = ['--quiet', `--variant=${variant}`, `--include=${packages.join()}`, ...hooks];
  const source = `deb ${await findMirror()} ${CODENAME} main`;
  const make = () => outputOf('mmdebstrap', [...what, CODENAME, target, source]);
  await make().catch(async () => {
    await rm(target, { recursive: true, force: true });
    await setTimeout(PAUSE);
    await make();
  });
}

/** Returns the mirror from which this machine gets its Debian packages. */
async function findMirror(): Promise<string> {
  const format = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'];
  const found = await outputOf('apt-get', [...format, 'Origin: Debian', 'Label: Debian']);
  const [address] = found.split('\n');
  if (address === undefined || address === '') {
    throw new Error('apt has no Debian repository: run apt-get update on a Debian machine');
  }
  return address;
}

/**
 * Runs a program to its end. It inherits this machine's environment, because builds need the network settings.
 *
 * @returns its output
 */
export async function outputOf(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const options = {
    cwd: ROOT,
    env: { ...process.env, ...env },
    maxBuffer: Infinity,
  };
  const { stdout } = await promisify(execFile)(program, args, options);
  return stdout.trim();
}
