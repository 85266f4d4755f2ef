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

/**
 * Creates a temporary folder whose path contains no symbolic links. As root, PostgreSQL runs as a different user, which
 * must be able to enter the folder.
 */
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

/** Creates a copy of the repository's executable parts, or of some of them, for tests that change or write files. */
export async function temporaryTree(parts: readonly string[] = PARTS): Promise<TemporaryDirectory> {
  const tree = await temporaryDirectory();
  await copyTree(tree.path, parts);
  return tree;
}

/** Copies parts of this repository into an existing folder, and links the installed packages. */
export async function copyTree(path: string, parts: readonly string[]): Promise<void> {
  await Promise.all(
    parts.map((part) =>
      cp(join(ROOT, part), join(path, part), {
        recursive: true,
        // The benchmark's separately installed packages are not needed.
        filter: (source) => basename(source) !== 'node_modules',
      }),
    ),
  );
  await linkInstalled(path);
}

/** Links the packages installed here into a copy; its workspaces and their commands are its own. */
export async function linkInstalled(path: string): Promise<void> {
  const installed = join(path, 'node_modules');
  // What programs store next to the packages stays in the copy.
  await linkAll('node_modules', installed, ['.bin', '.cache', '@store-gateway']);
  await symlink(join(path, 'packages'), join(installed, '@store-gateway'));
  const commands = join(installed, '.bin');
  const own = await commandsIn(join(path, 'packages'));
  await linkAll('node_modules/.bin', commands, [...own.keys()]);
  await Promise.all([...own].map(([name, file]) => symlink(file, join(commands, name))));
}

/** Creates a folder and links everything from a folder in this repository into it. */
async function linkAll(from: string, to: string, except: readonly string[]): Promise<void> {
  await mkdir(to);
  const names = (await readdir(join(ROOT, from))).filter((name) => !except.includes(name));
  await Promise.all(names.map((name) => symlink(join(ROOT, from, name), join(to, name))));
}

/** Returns the files of the commands in a copy's workspaces. */
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
