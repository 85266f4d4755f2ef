import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { anchorsOf, headingsOf, linksOf } from '../support/documentation/links.ts';
import { ROOT } from '../support/documentation/newcomer.ts';

const DOCS = globSync('docs/**/*.md', { cwd: ROOT });
const PAGES = [
  ...globSync(['*.md', '{bench,packages,packages/*,deploy/*}/README.md'], { cwd: ROOT }),
  ...DOCS,
];

test('links and anchors are found as GitHub makes them', () => {
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

test.each(PAGES)('relative links of %s lead somewhere', (page) => {
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

test('every page is two links away from the README, and those of the reference three', () => {
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
  'the names that %s lists lead to their headings',
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

function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}
