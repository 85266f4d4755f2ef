import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/documentation/newcomer.ts';

const PAGES = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })];

test.each(PAGES)('%s begins with who needs it', (page) => {
  const [title, introduction] = textOf(page).split('\n\n', 2);
  expect(title).toMatch(/^# .+$/);
  expect(introduction).toMatch(/^For /);
});

test('the README has at most 700 words', () => {
  expect(wordsOf('README.md')).toBeLessThanOrEqual(700);
});

test('README and docs have at most 19,000 words', () => {
  const pages = ['README.md', ...globSync('docs/*.md', { cwd: ROOT })];
  const words = pages.reduce((sum, page) => sum + wordsOf(page), 0);
  expect(words).toBeGreaterThan(0);
  expect(words).toBeLessThanOrEqual(19_000);
});

function wordsOf(page: string): number {
  return textOf(page).trim().split(/\s+/).length;
}

function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}
