import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** Where `npm run bundle` writes. `npm ci` empties it. */
export const BUNDLE = `${ROOT}node_modules/.cache/animal-store-gateway-bundle/`;

/** In the bundle: a line for each file of ours that it was made of, by which to tell whether that has changed. */
export const INPUTS = 'inputs.txt';

/** @param path relative to the root */
export function inputLine(path: string): string {
  const { mtimeMs = 0, size = 0 } = statSync(ROOT + path, { throwIfNoEntry: false }) ?? {};
  // Images keep no fractions of a second.
  return `${Math.trunc(mtimeMs / 1000)} ${size} ${path}`;
}

/**
 * Runs a program of src/commands from the bundle: the same code as in some 800 modules, which take as long to find and
 * link as all else of a start, and 40 MB. Without a bundle, or if a source has changed since, runs it from the sources.
 */
export async function runProgram(name: 'serve' | 'serve-worker'): Promise<void> {
  await import(isBundled() ? pathToFileURL(`${BUNDLE}${name}.mjs`).href : `./commands/${name}.ts`);
}

function isBundled(): boolean {
  let inputs: string;
  try {
    inputs = readFileSync(BUNDLE + INPUTS, 'utf8');
  } catch {
    return false;
  }
  return inputs.split('\n').every((line) => line === inputLine(line.replace(/^\d+ \d+ /, '')));
}
