import {
  chmod,
  cp,
  glob,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isJsonObject } from '@store-gateway/ops';

export interface TemporaryDirectory extends AsyncDisposable {
  readonly path: string;
}

/** A folder for one test, without symbolic links in its path. As root, PostgreSQL runs as another user, which has to be able to enter it. */
export async function temporaryDirectory(): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(await realpath(tmpdir()), 'animal-store-test-'));
  await chmod(path, 0o755);
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}

const ROOT = join(import.meta.dirname, '..', '..');

const FOLDERS = ['bench', 'docs', 'packages', 'prisma', 'scripts', 'soak', 'src', 'test'];
const PARTS = [...FOLDERS, 'openapi.json', 'package.json', 'schema.graphql'];

/** A copy of what runs of this repository, or of some of it, for whatever changes or writes files. */
export async function temporaryTree(parts: readonly string[] = PARTS): Promise<TemporaryDirectory> {
  const tree = await temporaryDirectory();
  await copyTree(tree.path, parts);
  return tree;
}

/** Copies parts of this repository into a folder that is there, with the packages that are installed. */
export async function copyTree(path: string, parts: readonly string[]): Promise<void> {
  await Promise.all(
    parts.map((part) =>
      cp(join(ROOT, part), join(path, part), {
        recursive: true,
        // The benchmark's peers are none of what runs.
        filter: (source) => basename(source) !== 'node_modules',
      }),
    ),
  );
  await linkInstalled(path);
}

/** Gives a copy the packages that are installed here; the workspaces and their commands are its own. */
export async function linkInstalled(path: string): Promise<void> {
  const installed = join(path, 'node_modules');
  // What programs keep beside the packages goes with the copy.
  await linkAll('node_modules', installed, ['.bin', '.cache', '@store-gateway']);
  await symlink(join(path, 'packages'), join(installed, '@store-gateway'));
  const commands = join(installed, '.bin');
  const own = await commandsIn(join(path, 'packages'));
  await linkAll('node_modules/.bin', commands, [...own.keys()]);
  await Promise.all([...own].map(([name, file]) => symlink(file, join(commands, name))));
}

/** Links all that a folder of this repository has, into another, which is made. */
async function linkAll(from: string, to: string, except: readonly string[]): Promise<void> {
  await mkdir(to);
  const names = (await readdir(join(ROOT, from))).filter((name) => !except.includes(name));
  await Promise.all(names.map((name) => symlink(join(ROOT, from, name), join(to, name))));
}

/** The files of the commands of a copy's workspaces. */
async function commandsIn(packages: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for await (const path of glob('*/package.json', { cwd: packages })) {
    const manifest: unknown = JSON.parse(await readFile(join(packages, path), 'utf8'));
    const commands = isJsonObject(manifest) ? manifest['bin'] : undefined;
    for (const [name, file] of Object.entries(isJsonObject(commands) ? commands : {})) {
      files.set(name, join(packages, dirname(path), String(file)));
    }
  }
  return files;
}
