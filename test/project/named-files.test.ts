import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'packages/README.md',
  ...matching('docs/*.md'),
];

test('paths are found', () => {
  expect(namedIn('See `src/main.ts`, `test/*.ts` and `a/b.ts`.')).toEqual([
    'src/main.ts',
    'test/*.ts',
  ]);
});

test.each(PAGES)('files that %s names are there', async (page) => {
  const named = namedIn(await readFile(join(ROOT, page), 'utf8'));
  expect(named.filter((path) => matching(path).length === 0)).toEqual([]);
});

/** Paths of the repository in backticks, which may be patterns. */
function namedIn(markdown: string): string[] {
  // A page that has its reader write files names those of the reader's own project, too.
  const paths = markdown.includes('<!-- file: ')
    ? []
    : markdown.matchAll(
        /`((?:bench|deploy|docs|examples|packages|prisma|scripts|soak|src|test)\/[^` ]*)`/g,
      );
  return Array.from(paths, ([, path = '']) => path);
}

function matching(pattern: string): string[] {
  return globSync(pattern, { cwd: ROOT });
}
