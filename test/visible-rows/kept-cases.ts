import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Case } from './play.ts';

const CASES = join(import.meta.dirname, 'cases');

/** All cases that were found, by the names of their files. */
export async function keptCases(): Promise<[name: string, kept: Case][]> {
  const names = (await readdir(CASES)).filter((name) => name.endsWith('.json')).toSorted();
  return Promise.all(
    names.map(async (name): Promise<[string, Case]> => {
      const kept: unknown = JSON.parse(await readFile(join(CASES, name), 'utf8'));
      if (!isCase(kept)) {
        throw new TypeError(`${name} is no case`);
      }
      return [name.slice(0, -'.json'.length), kept];
    }),
  );
}

/** As far as can be told before it is played. */
function isCase(value: unknown): value is Case {
  return value instanceof Object && ['design', 'worlds', 'steps'].every((name) => name in value);
}
