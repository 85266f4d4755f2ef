import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CommandFailure } from '@store-gateway/ops/command-line';
import ownManifest from '../package.json' with { type: 'json' };
import { fill } from './fill.ts';
import type { Names } from './names.ts';

const TEMPLATE = join(import.meta.dirname, '../template');

/** npm publishes no such files under their own names. */
const DOTTED = /^(?:npmrc|gitignore|dockerignore|github(?=\/))/;

/**
 * Writes the project of a store.
 *
 * @param folder is made if it is missing
 * @throws CommandFailure (1) if there is something in it, or it can't be made
 */
export async function writeProject(folder: string, names: Names): Promise<void> {
  await mkdir(folder, { recursive: true }).catch(({ message }: Error) => {
    throw new CommandFailure(1, `the folder ${names.store} can't be created: ${message}`);
  });
  if ((await readdir(folder)).length > 0) {
    throw new CommandFailure(1, `the folder ${names.store} is not empty: choose another name`);
  }
  const entries = await readdir(TEMPLATE, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => !each.isDirectory())) {
    const source = join(entry.parentPath, entry.name);
    const path = source.slice(TEMPLATE.length + 1);
    const target = join(folder, fill(path.replace(DOTTED, '.$&'), names));
    await mkdir(dirname(target), { recursive: true });
    const text = fill(await readFile(source, 'utf8'), names);
    await writeFile(target, path === 'package.json' ? withOwnVersion(text) : text);
  }
}

/** All packages of this repository have one version. */
function withOwnVersion(manifest: string): string {
  return manifest.replaceAll(/("@store-gateway\/[\w-]+": )".*"/g, `$1"${ownManifest.version}"`);
}
