import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changed, linesByHand } from '../support/documentation/change.ts';
import { ROOT } from '../support/documentation/newcomer.ts';
import { stepsOf } from '../support/documentation/steps.ts';

// test/docs/pages.test.ts follows the page.
const page = readFileSync(join(ROOT, 'docs/tutorial.md'), 'utf8');

test.each([
  ['Add a field', { files: 4, lines: 15 }],
  ['Add a resource with a relation', { files: 4, lines: 100 }],
])('by hand, "%s" takes few files and lines', (heading, limits) => {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
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

test('the files have the places that it changes', () => {
  const files = new Map<string, string>();
  for (const step of stepsOf(page)) {
    if (step.kind === 'change') {
      const text = files.get(step.path) ?? readFileSync(join(ROOT, step.path), 'utf8');
      files.set(step.path, changed(text, step.diff));
    }
  }
  expect(files.size).toBeGreaterThan(0);
});
