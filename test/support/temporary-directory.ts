import { chmod, cp, mkdir, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

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

/** Gives a copy the packages that are installed here; the workspaces are its own. */
export async function linkInstalled(path: string): Promise<void> {
  const installed = join(path, 'node_modules');
  await linkPackages(installed);
  await rm(join(installed, '@store-gateway'));
  await symlink(join(path, 'packages'), join(installed, '@store-gateway'));
}

/** The same packages, but what programs keep beside them goes with the copy. */
async function linkPackages(folder: string): Promise<void> {
  await mkdir(folder);
  const names = (await readdir(join(ROOT, 'node_modules'))).filter((name) => name !== '.cache');
  await Promise.all(
    names.map((name) => symlink(join(ROOT, 'node_modules', name), join(folder, name))),
  );
}
