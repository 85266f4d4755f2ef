import { readdir, readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { basename, join } from 'node:path';
import { isJsonObject } from '@store-gateway/exact-json/json';

const FOLDER = join(import.meta.dirname, '../../../build/tarballs');

/** A package as `npm run pack` has packed it. */
export interface Tarball {
  /** Such as `@store-gateway/errors`. */
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

/** What a registry says about a version of a package. @param address where its tarballs can be fetched */
export async function manifestOf({ file }: Tarball, address: string) {
  const packed = await readFile(file);
  const manifest: unknown = JSON.parse(entryOf(gunzipSync(packed), 'package/package.json'));
  const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`;
  return {
    ...(isJsonObject(manifest) ? manifest : {}),
    dist: { tarball: `${address}/${basename(file)}`, integrity },
  };
}

/** A file of a tar archive, whose blocks have 512 bytes: a header with name and octal size, then the file. */
function entryOf(archive: Buffer, name: string): string {
  for (let at = 0; at < archive.length;) {
    const [path] = archive.toString('utf8', at, at + 100).split('\0', 1);
    const size = Number.parseInt(archive.toString('utf8', at + 124, at + 136), 8) || 0;
    if (path === name) return archive.toString('utf8', at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  throw new Error(`the tarball has no ${name}`);
}
