import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type NodeWithNpm, runWith, THIS_NODE } from './nodes.ts';

/**
 * Installs packages as a stranger does, those of this repository from their tarballs, into a folder outside it.
 *
 * @param folder gets a package.json if it has none
 * @param packages as npm takes them, such as `@store-gateway/ops` or `graphql@16.15.0`
 */
export async function installInto(
  folder: string,
  packages: readonly string[],
  node: NodeWithNpm = THIS_NODE,
): Promise<void> {
  const manifest = JSON.stringify({ name: 'stranger', private: true, type: 'module' });
  await writeFile(join(folder, 'package.json'), manifest, { flag: 'wx' }).catch(() => undefined);
  await runWith(node, folder, 'npm', ['install', '--save-exact', '--ignore-scripts', ...packages]);
}
