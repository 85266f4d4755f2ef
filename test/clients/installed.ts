import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '@gateway/exact-json/json';

/** Where the tests' clients are installed: for them alone, for an example, or for all examples. */
const FOLDERS = ['.', '../../examples/graphql-client', '../..'];

/** The version of a package that is installed for the tests of clients. */
export async function installedVersion(name: string): Promise<string> {
  const manifests = FOLDERS.map(async (folder) => {
    const path = join(import.meta.dirname, folder, 'node_modules', name, 'package.json');
    const manifest: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isJsonObject(manifest) ? String(manifest['version']) : '';
  });
  return Promise.any(manifests);
}
