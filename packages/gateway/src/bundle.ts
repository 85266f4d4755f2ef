import { statSync } from 'node:fs';

/** Where `npm run bundle` writes. `npm ci` empties it. */
export const bundleOf = (root: string): string => `${root}node_modules/.cache/gateway-bundle/`;

/** The bundle's file with a line for each source file, to detect changed sources. */
export const INPUTS = 'inputs.txt';

/**
 * The line of a source in INPUTS: its time in whole seconds since 1970, its size in bytes, and its path; both are 0 if there is none.
 *
 * @param root folder of the project; ends with a slash
 * @param path relative to the root
 */
export function inputLine(root: string, path: string): string {
  const { mtimeMs = 0, size = 0 } = statSync(root + path, { throwIfNoEntry: false }) ?? {};
  // Container images keep no fractions of a second.
  return `${Math.trunc(mtimeMs / 1000)} ${size} ${path}`;
}
