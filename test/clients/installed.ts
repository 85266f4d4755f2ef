import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '@store-gateway/ops';

/** The version of a package that is installed for the tests of clients. */
export async function installedVersion(name: string): Promise<string> {
  const path = join(import.meta.dirname, 'node_modules', name, 'package.json');
  const manifest: unknown = JSON.parse(await readFile(path, 'utf8'));
  return isJsonObject(manifest) ? String(manifest['version']) : '';
}
