import { readFile } from 'node:fs/promises';
import { isJsonObject } from '@store-gateway/ops';

/** The scripts of package.json: each one's name and command line. */
export async function packageScripts(): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const manifest: unknown = JSON.parse(text);
  const scripts = isJsonObject(manifest) ? manifest['scripts'] : undefined;
  if (!isJsonObject(scripts)) {
    throw new Error('package.json has no scripts');
  }
  return new Map(Object.entries(scripts).map(([name, script]) => [name, String(script)]));
}
