import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...matching('docs/*.md')];

test('links and paths are found', () => {
  const page = 'See [the store](store.md#top), `src/main.ts` and `test/*.ts`.';
  expect(namedIn(page, 'docs')).toEqual(['docs/store.md', 'src/main.ts', 'test/*.ts']);
});

test.each(PAGES)('files that %s names are there', async (page) => {
  const named = namedIn(await readFile(join(ROOT, page), 'utf8'), join(page, '..'));
  expect(named.filter((path) => matching(path).length === 0)).toEqual([]);
});

/** Paths of the repository in backticks, which may be patterns, and where relative links lead to. */
function namedIn(markdown: string, folder: string): string[] {
  const links = markdown.matchAll(/\]\((?!https?:|#)([^)#]+)/g);
  // A page that has its reader write files names those of the reader's own project, too.
  const paths = markdown.includes('<!-- file: ')
    ? []
    : markdown.matchAll(/`((?:bench|deploy|docs|examples|prisma|scripts|soak|src|test)\/[^` ]*)`/g);
  return [
    ...Array.from(links, ([, path = '']) => join(folder, path)),
    ...Array.from(paths, ([, path = '']) => path),
  ];
}

function matching(pattern: string): string[] {
  return globSync(pattern, { cwd: ROOT });
}
