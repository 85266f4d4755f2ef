import { mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isJsonObject } from '@store-gateway/ops';
import { ROOT } from './newcomer.ts';

/** A package and the version that is asked for, if one is: `@urql/core`, `typescript@5`. */
const PACKAGE = /^(?<name>(?:@[\w-]+\/)?[\w.-]+)(?:@(?<version>[\d.]+))?$/;

/**
 * Does what `npm install` would do in a folder, without the registry: links each package that the commands name to the
 * one that a folder of this repository has installed, and no other.
 */
export async function linkPackages(commands: string, installed: string, folder: string) {
  const lines = commands.split('\n').filter((line) => line.startsWith('npm install '));
  const wanted = lines.flatMap((line) => line.split(' ').slice(2));
  for (const word of wanted.filter((argument) => !argument.startsWith('-'))) {
    const { name = word, version = '' } = PACKAGE.exec(word)?.groups ?? {};
    const { path, manifest } = await find(name, [join(ROOT, installed), ROOT]);
    if (!`${String(manifest['version'])}.`.startsWith(version && `${version}.`)) {
      throw new Error(`${word} is asked for, and there is ${String(manifest['version'])}`);
    }
    await link(path, join(folder, 'node_modules', name));
    const programs = isJsonObject(manifest['bin']) ? Object.entries(manifest['bin']) : [];
    for (const [program, file] of programs) {
      await link(join(path, String(file)), join(folder, 'node_modules/.bin', program));
    }
  }
}

async function find(name: string, folders: readonly string[]) {
  for (const folder of folders) {
    const path = join(folder, 'node_modules', name);
    const text = await readFile(join(path, 'package.json'), 'utf8').catch(() => undefined);
    const manifest: unknown = text === undefined ? undefined : JSON.parse(text);
    if (isJsonObject(manifest)) {
      return { path, manifest };
    }
  }
  throw new Error(`${name} is not installed`);
}

async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path);
}
