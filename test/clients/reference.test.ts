import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from '../support/documentation/newcomer.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const run = promisify(execFile);
const REFERENCE = join(ROOT, 'docs/reference');

/** Returns the pages in a folder by their names. */
async function pagesIn(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).toSorted();
  const pages = await Promise.all(
    names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
  );
  return Object.fromEntries(pages);
}

test('docs/reference equals the output of npm run reference, which requires a docstring for each export', async () => {
  await using folder = await temporaryDirectory();
  // Fails if a name has no docstring, or mentions a type that its package does not export.
  await run(process.execPath, [join(ROOT, 'scripts/reference/generate.ts'), '--out', folder.path]);
  const [generated, committed] = await Promise.all([pagesIn(folder.path), pagesIn(REFERENCE)]);
  expect(Object.keys(generated).length).toBeGreaterThan(12);
  expect(generated).toEqual(committed);
});
