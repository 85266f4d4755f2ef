import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A package in the reference. */
export interface Package {
  /** The name that it is installed by. */
  readonly name: string;
  /** The last part of its name, which is also its folder in packages. */
  readonly folder: string;
  readonly description: string;
  /** The exported modules: the absolute paths of their files, and the names that they are imported by. */
  readonly modules: ReadonlyMap<string, string>;
}

interface Manifest {
  readonly name: string;
  readonly description: string;
  readonly exports?: Readonly<Record<string, string>>;
}

/** The packages that export modules in TypeScript. Scripts and styles for browsers have no names to import. */
export function packagesIn(root: string): readonly Package[] {
  return globSync('packages/*/package.json', { cwd: root })
    .toSorted()
    .map((path) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- npm has checked it
      const manifest = JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest;
      const { name, description, exports = {} } = manifest;
      const folder = dirname(path);
      const modules = new Map(
        Object.entries(exports)
          .filter(([, file]) => file.endsWith('.ts') && !file.includes('*'))
          .map(([subpath, file]) => [join(root, folder, file), name + subpath.slice(1)]),
      );
      return { name, folder: folder.replace('packages/', ''), description, modules };
    })
    .filter(({ modules }) => modules.size > 0);
}
