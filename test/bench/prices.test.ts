import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MECHANISMS, replaced } from '../../bench/prices/mechanisms.ts';
import { figureOf, PAGE, pricesPage, pricesTable, spreadOf } from '../../bench/prices/page.ts';
import { reportedWorks } from '../../bench/load/calls.ts';
import { MACHINE } from '../support/bench-machine.ts';
import { formOf } from '../support/documentation/form.ts';
import { ROOT } from '../support/documentation/newcomer.ts';

test.each(MECHANISMS)('the code can be had without $name', ({ edits }) => {
  const sources = new Map(
    edits.map(({ file }) => [file, readFileSync(join(ROOT, file), 'utf8')] as const),
  );
  for (const edit of edits) {
    const source = sources.get(edit.file) ?? '';
    const changed = replaced(source, edit);
    expect(changed).toContain(edit.by);
    expect(changed).not.toBe(source);
    sources.set(edit.file, changed);
  }
});

test.each(['', 'twice and twice'])(
  'a text that is not there once is not replaced: %j',
  (source) => {
    expect(() => replaced(source, { file: 'a.ts', text: 'twice', by: '' })).toThrow(/a\.ts/);
  },
);

describe('a figure', () => {
  test('is certain beyond twice the spread of equal versions', () => {
    const spread = Math.log(1.02);
    expect(figureOf([1.05, 1.05], spread)).toBe('1.05');
    expect(figureOf([0.95], spread)).toBe('0.95');
    expect(figureOf([1.03, 1.03], spread)).toBe('(1.03)');
  });

  test('is no more certain than equal versions are equal', () => {
    // Scattered around 1: the error of a mean of four.
    expect(spreadOf([1.04, 1 / 1.04, 1.04, 1 / 1.04])).toBeCloseTo(Math.log(1.04) / 2);
    // All of them off to one side, which no number of pairs evens out.
    expect(spreadOf([1.04, 1.04, 1.04, 1.04])).toBeCloseTo(Math.log(1.04));
  });
});

const CELLS = (['rest', 'graphql'] as const).flatMap((surface) =>
  reportedWorks.map((work) => ({ surface, work })),
);
const rowsOf = (ratio: number) =>
  CELLS.map((cell) => ({ cell, costs: [{ gateway: ratio, all: 1 }] }));
const measured = {
  same: rowsOf(1.01),
  prices: MECHANISMS.map((mechanism) => ({ mechanism, rows: rowsOf(1.5) })),
};

test('the table has a row for each mechanism, and the spread of each kind of request', () => {
  const table = pricesTable(measured).replaceAll(/ +/g, ' ');
  expect(table).toContain(`| log |${' 1.50 |'.repeat(8)}\n`);
  expect(table).toContain(`| nothing |${' ± 1.0 % |'.repeat(8)}\n`);
});

/** The form of a page whose figures may be in parentheses. */
function form(page: string): string {
  return formOf(page).replaceAll('(0)', '0');
}

test('docs/results/prices.md is as npm run bench -- --prices writes it', () => {
  const page = pricesPage({ ...measured, machine: MACHINE, pairs: 5 });
  expect(form(readFileSync(join(ROOT, PAGE), 'utf8'))).toBe(form(page));
});

test('the page says what each mechanism is compared with', () => {
  const page = pricesPage({ ...measured, machine: MACHINE, pairs: 5 });
  for (const { name, without } of MECHANISMS)
    expect(page).toContain(`- **${name}:** instead, ${without}\n`);
});
