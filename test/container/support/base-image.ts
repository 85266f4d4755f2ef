import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { outputOf, type Podman } from './podman.ts';

const MODULES = '/usr/local/lib/node_modules';
/** What Node is linked with. */
const LIBRARIES = 'libatomic1,libstdc++6';
/** As in the image that stands in for: npm on PATH, and a user for the service. */
const FINISH = [
  'chmod 755 "$1/usr/local/bin/node"',
  `ln -s ${MODULES}/npm/bin/npm-cli.js "$1/usr/local/bin/npm"`,
  'echo node:x:1000:1000::/home/node:/bin/sh >> "$1/etc/passwd"',
  'echo node:x:1000: >> "$1/etc/group"',
  'install -d -o 1000 -g 1000 "$1/home/node"',
].join(' && ');

/**
 * Makes an image in place of the one that deploy/Containerfile builds on, where no registry may be reached: this machine's
 * Debian with the tests' own Node and this machine's npm.
 */
export async function makeBaseImage(podman: Podman): Promise<string> {
  const name = await nameOfBase();
  await using directory = await temporaryDirectory();
  const archive = join(directory.path, 'base.tar');
  const { codename, source } = await findDebian();
  const npm = dirname(dirname(await outputOf('sh', ['-c', 'realpath "$(command -v npm)"'])));
  const hooks = [
    `mkdir -p "$1${MODULES}" "$1/usr/local/bin"`,
    `upload ${process.execPath} /usr/local/bin/node`,
    `copy-in ${npm} ${MODULES}`,
    FINISH,
  ].map((hook) => `--customize-hook=${hook}`);
  const what = ['--quiet', '--variant=essential', `--include=${LIBRARIES}`];
  await outputOf('mmdebstrap', [...what, ...hooks, codename, archive, source]);
  await podman.run(['import', '--quiet', archive, name]);
  return name;
}

async function nameOfBase(): Promise<string> {
  const file = await readFile(new URL('../../../deploy/Containerfile', import.meta.url), 'utf8');
  const names = new Set(Array.from(file.matchAll(/^FROM (\S+)/gm), ([, name]) => name));
  const [name] = names;
  if (name === undefined || names.size > 1) {
    throw new Error(`deploy/Containerfile builds on ${[...names].join(' and ')}`);
  }
  return name;
}

/** Where this machine gets its own Debian packages from. */
async function findDebian(): Promise<{ readonly codename: string; readonly source: string }> {
  const codename = await outputOf('sh', ['-c', '. /etc/os-release && echo "$VERSION_CODENAME"']);
  const format = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'];
  const conditions = ['Origin: Debian', `Codename: ${codename}`, 'Component: main'];
  const found = await outputOf('apt-get', [...format, ...conditions]);
  const [address] = found.split('\n');
  if (address === undefined || address === '') {
    throw new Error('apt knows no repository of Debian: run apt-get update, on Debian');
  }
  return { codename, source: `deb ${address} ${codename} main` };
}
