import { statSync } from 'node:fs';

/** Returns the folder that `npm run bundle` writes to, and that `npm ci` empties. */
export const bundleOf = (root: string): string => `${root}node_modules/.cache/gateway-bundle/`;

/** The bundle's list of source files, one per line, from which changed sources are detected. */
export const INPUTS = 'inputs.txt';

/**
 * Returns a source file's line in INPUTS: its modification time in whole seconds since 1970, its size in bytes, and its path.
 * Time and size are 0 if there is no such file.
 *
 * @param root folder of the project; ends with a slash
 * @param path relative to the root
 */
export function inputLine(root: string, path: string): string {
  const { mtimeMs = 0, size = 0 } = statSync(root + path, { throwIfNoEntry: false }) ?? {};
  // Container images don't preserve fractions of a second.
  return `${Math.trunc(mtimeMs / 1000)} ${size} ${path}`;
}
