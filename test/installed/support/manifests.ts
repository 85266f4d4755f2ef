import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { object } from './unpacked.ts';

export interface Manifest {
  readonly name: string;
  readonly version: unknown;
  /** The packages of this repository that it depends on, and their versions. */
  readonly ours: readonly (readonly [name: string, version: unknown])[];
}

/** What files of package.json say about versions. */
export async function manifestsIn(
  root: string,
  patterns: readonly string[],
): Promise<readonly Manifest[]> {
  const paths = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }));
  return Promise.all(
    paths.map(async (path) => {
      const manifest = object(JSON.parse(await readFile(join(root, path), 'utf8')));
      const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
      const asked = kinds.flatMap((kind) => Object.entries(object(manifest[kind])));
      return {
        name: String(manifest['name']),
        version: manifest['version'],
        ours: asked.filter(([name]) => name.startsWith('@store-gateway/')),
      };
    }),
  );
}
