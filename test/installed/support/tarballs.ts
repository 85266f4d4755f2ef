import { readdir, readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { isJsonObject } from '@store-gateway/ops';

const run = promisify(execFile);
const FOLDER = join(import.meta.dirname, '../../../build/tarballs');

/** A package as `npm run pack` has packed it. */
export interface Tarball {
  /** Such as `@store-gateway/ops`. */
  readonly name: string;
  readonly version: string;
  /** The path of the .tgz. */
  readonly file: string;
}

/** All packages, as they would be published. */
export async function packedTarballs(): Promise<readonly Tarball[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.tgz'));
  return files.map((file) => {
    const { name = '', version = '' } =
      /^store-gateway-(?<name>.+?)-(?<version>\d+\..+)\.tgz$/.exec(file)?.groups ?? {};
    return { name: `@store-gateway/${name}`, version, file: join(FOLDER, file) };
  });
}

/** The manifest that a registry returns for a package version. @param address where tarballs can be fetched */
export async function manifestOf({ file }: Tarball, address: string) {
  const packed = await readFile(file);
  const { stdout } = await run('tar', ['xzOf', file, 'package/package.json']);
  const manifest: unknown = JSON.parse(stdout);
  const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`;
  return {
    ...(isJsonObject(manifest) ? manifest : {}),
    dist: { tarball: `${address}/${basename(file)}`, integrity },
  };
}
