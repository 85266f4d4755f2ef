import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linesByHand } from '../support/documentation/change.ts';
import { testPage } from '../support/documentation/follow.ts';
import { ROOT } from '../support/documentation/newcomer.ts';
import { stepsOf } from '../support/documentation/steps.ts';

const PAGE = 'docs/tutorial.md';

testPage(PAGE);

test.each([
  ['Add a field', { files: 4, lines: 15 }],
  ['Add a resource with a relation', { files: 4, lines: 100 }],
])('by hand, "%s" takes few files and lines', (heading, limits) => {
  const byHand = stepsOf(sectionOf(heading)).flatMap((step) => {
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

/** A section of the page, from its heading to the next. */
function sectionOf(heading: string): string {
  const sections = readFileSync(join(ROOT, PAGE), 'utf8').split(/^## /m);
  return sections.find((section) => section.startsWith(`${heading}\n`)) ?? '';
}
