import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isJsonObject } from '@store-gateway/ops';
import { onFileFinished } from '../../support/clean-up.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { Tarball } from './tarballs.ts';

const run = promisify(execFile);

type JsonObject = Record<string, unknown>;

/** The contents of a tarball. */
export interface Unpacked {
  readonly folder: string;
  /** The paths of all files in the folder. */
  readonly files: readonly string[];
  readonly manifest: JsonObject;
  readonly read: (path: string) => Promise<string>;
}

/** Unpacks a tarball into a folder that exists until the tests in the file have finished. */
export async function unpack({ file }: Tarball): Promise<Unpacked> {
  const parent = await temporaryDirectory();
  onFileFinished(async () => {
    await parent[Symbol.asyncDispose]();
  });
  await run('tar', ['xzf', file, '-C', parent.path]);
  const folder = join(parent.path, 'package');
  const read = (path: string) => readFile(join(folder, path), 'utf8');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return {
    folder,
    files: files.toSorted(),
    manifest: object(JSON.parse(await read('package.json'))),
    read,
  };
}

export function object(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The files that a package exports, by import specifier. Files that are served to browsers are not imported. */
export function exportsOf({ manifest }: Unpacked): ReadonlyMap<string, Export> {
  const exported = Object.entries(object(manifest['exports'])).filter(
    ([subpath]) => !subpath.endsWith('*'),
  );
  return new Map(
    exported.map(([subpath, target]) => {
      const { types, default: code } = isJsonObject(target)
        ? target
        : { types: '', default: target };
      return [
        join(String(manifest['name']), subpath),
        { code: join(String(code)), types: join(String(types)) },
      ];
    }),
  );
}

/** The paths of an export's files. */
export interface Export {
  readonly code: string;
  readonly types: string;
}
