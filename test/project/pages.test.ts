import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SETTINGS } from '../../packages/gateway/src/config/config.ts';
import { STEPS } from '../../packages/http/src/steps.ts';
import { SUITES } from '../../scripts/suites/suites.ts';
import { changed, linesByHand, stepsOf } from '../support/documentation/steps.ts';
import { anchorsOf, headingsOf, linksOf } from '../support/documentation/links.ts';
import { ROOT } from '../support/documentation/newcomer.ts';

const DOCS = matching('docs/**/*.md');
const PAGES = [...matching('*.md', '{bench,packages,packages/*,deploy/*}/README.md'), ...DOCS];

function matching(...patterns: readonly string[]): string[] {
  return globSync(patterns, { cwd: ROOT });
}

function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

function wordsOf(page: string): number {
  return textOf(page).trim().split(/\s+/).length;
}

test.each(['README.md', ...DOCS])('%s begins with a line about its audience', (page) => {
  const [title, introduction] = textOf(page).split('\n\n', 2);
  expect(title).toMatch(/^# .+$/);
  expect(introduction).toMatch(/^For /);
});

test('the README has at most 700 words, and the README and docs together have at most 19,000', () => {
  expect(wordsOf('README.md')).toBeLessThanOrEqual(700);
  const words = ['README.md', ...matching('docs/*.md')].map(wordsOf);
  expect(words.length).toBeGreaterThan(1);
  expect(words.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(19_000);
});

test('links and anchors are recognized as GitHub renders them', () => {
  const page = [
    '# A `b_c`: 2^53, and [d](e.md#f)!',
    '![g](h.png) [i](#j) [k](https://l.example/#m)',
    '## Twice',
    '```sh\n# no heading [n](o)\n```',
    '## Twice',
  ].join('\n\n');
  expect(linksOf(page)).toEqual(['e.md#f', 'h.png', '#j']);
  expect(anchorsOf(page)).toEqual(['a-b_c-253-and-d', 'twice', 'twice-1']);
});

test.each(PAGES)('relative links in %s work', (page) => {
  const broken = linksOf(textOf(page)).filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(page, '..', path);
    return (
      !existsSync(join(ROOT, target)) ||
      (anchor !== undefined && !anchorsOf(textOf(target)).includes(anchor))
    );
  });
  expect(broken).toEqual([]);
});

test("docs/README.md and the reference's README link to every page", () => {
  expect(linksOf(textOf('README.md'))).toContain('docs/README.md');
  const lists = ['docs/README.md', 'docs/reference/README.md'];
  const listed = new Set([
    'docs/README.md',
    ...lists.flatMap((list) =>
      linksOf(textOf(list)).map((link) => join(list, '..', link.split('#')[0] ?? '')),
    ),
  ]);
  expect(DOCS.filter((page) => !listed.has(page))).toEqual([]);
});

test.each(DOCS.filter((page) => /^docs\/reference\/(?!README)/.test(page)))(
  'the names listed in %s link to their headings',
  (page) => {
    const text = textOf(page);
    const headings = new Map(headingsOf(text));
    const listed = text
      .split('\n')
      .filter((line) => line.startsWith('- [`'))
      .flatMap((line) => Array.from(line.matchAll(/\[`([^`]+)`\]\(#([^)]+)\)/g)));
    expect(listed.length).toBeGreaterThan(0);
    const astray = listed.filter(([, name = '', anchor = '']) => {
      const heading = headings
        .get(anchor)
        ?.replaceAll('\\', '')
        .replace(/[(<].*$/, '');
      return heading !== name && heading?.endsWith(`/${name}`) !== true;
    });
    expect(astray.map(([link]) => link)).toEqual([]);
  },
);

test('paths in backticks are recognized', () => {
  expect(namedIn('See `src/main.ts`, `test/*.ts` and `a/b.ts`.')).toEqual([
    'src/main.ts',
    'test/*.ts',
  ]);
});

const NAMING = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'packages/README.md'];

test.each([...NAMING, ...matching('docs/*.md')])('the files that %s mentions exist', (page) => {
  expect(namedIn(textOf(page)).filter((path) => matching(path).length === 0)).toEqual([]);
});

test('the test files that the suites name exist', () => {
  const named = SUITES.flatMap(({ complete, short = '' }) =>
    Array.from(`${complete} ${short}`.matchAll(/\btest\/\S+\.test\.ts\b/g), ([path]) => path),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((path) => matching(path).length === 0)).toEqual([]);
});

/** Returns the repository paths in backticks, which may be patterns. */
function namedIn(markdown: string): string[] {
  // A page that has its reader write files also mentions files in the reader's own project.
  const paths = markdown.includes('<!-- file: ')
    ? []
    : markdown.matchAll(
        /`((?:bench|deploy|docs|examples|packages|prisma|scripts|soak|src|test)\/[^` ]*)`/g,
      );
  return Array.from(paths, ([, path = '']) => path);
}

test('docs/configuration.md lists every setting with its default', () => {
  const items = textOf('docs/configuration.md').matchAll(
    /^- \*\*`([A-Z_]+)`\*\*(?: \(`([^`]*)`\))?:/gm,
  );
  const told = Array.from(
    items,
    ([, variable = '', fallback = '']) => [variable, fallback] as const,
  );
  const settings = Array.from(SETTINGS.values(), (each) => [each.variable, each.fallback] as const);
  expect(new Map(told)).toEqual(new Map(settings));
});

test('docs/architecture.md lists the steps that a request goes through', () => {
  const [, list = ''] = /^```text\n(.*?)^```$/ms.exec(textOf('docs/architecture.md')) ?? [];
  const told = Array.from(list.matchAll(/^(\w+) +(.+)$/gm), ([, name, text]) => [name, text]);
  expect(told).toEqual(Object.entries(STEPS));
});

// test/docs/pages.test.ts follows the tutorial.
const TUTORIAL = textOf('docs/tutorial.md');

test.each([
  ['Add a field', { files: 4, lines: 15 }],
  ['Add a resource with a relation', { files: 4, lines: 100 }],
])('"%s" in the tutorial changes few files and lines', (heading, limits) => {
  const section = TUTORIAL.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const byHand = stepsOf(section).flatMap((step) => {
    if (step.kind === 'change') {
      return { path: step.path, lines: linesByHand(step.diff) };
    }
    return step.kind === 'file' ? { path: step.path, lines: step.text.split('\n').length - 1 } : [];
  });
  const files = new Set(byHand.map(({ path }) => path)).size;
  const lines = byHand.reduce((sum, step) => sum + step.lines, 0);
  expect(files).toBeGreaterThan(0);
  expect(files).toBeLessThanOrEqual(limits.files);
  expect(lines).toBeGreaterThan(0);
  expect(lines).toBeLessThanOrEqual(limits.lines);
});

test("the repository's files contain the lines that the tutorial's diffs change", () => {
  const files = new Map<string, string>();
  for (const step of stepsOf(TUTORIAL)) {
    if (step.kind === 'change') {
      files.set(step.path, changed(files.get(step.path) ?? textOf(step.path), step.diff));
    }
  }
  expect(files.size).toBeGreaterThan(0);
});
