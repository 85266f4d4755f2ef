import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isOfReport } from '../../bench/budget.ts';
import { competitors } from '../../bench/competitors.ts';
import { reportedWorkloads } from '../../bench/load/calls.ts';
import { groupsOf, OURS } from '../../bench/plan.ts';
import { MECHANISMS, replaced } from '../../bench/prices/mechanisms.ts';
import * as prices from '../../bench/prices/page.ts';
import { benchmarkPage, PAGE } from '../../bench/report/benchmark-page.ts';
import { speedIn, speedLine, whyKept } from '../../bench/report/speed-line.ts';
import { MACHINE, benchSample } from '../support/bench-machine.ts';
import { formOf } from '../support/documentation/links.ts';
import { ROOT } from '../support/documentation/newcomer.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const USUAL = { requestsPerSecond: 70_000, loopsPerSecond: 75 };

test('docs/results/benchmark.md has the format that npm run bench writes', () => {
  const cells = groupsOf(competitors).flat().filter(isOfReport);
  const page = benchmarkPage({
    whole: true,
    machine: MACHINE,
    rounds: 5,
    seconds: 2,
    speed: USUAL,
    off: ['ours/rest/hot/32'],
    samples: cells.map(({ server, ...cell }) => benchSample(server, 0, cell)),
    starts: [{ round: 0, program: 'ours', cpu: 0.2, wall: 0.3 }],
    idle: { [OURS]: 90, 'express-prisma': 100 },
  });
  expect(formOf(read(PAGE))).toBe(formOf(page));
});

test.each([
  [0.8, 1, true],
  [1, 0.8, true],
  [0.91, 0.91, false],
  [2, 2, false],
])(
  'a results page is not replaced by results with %d × its requests and %d × its loops per second: %j',
  (requests, loops, isKept) => {
    const page = `# Performance\n\n${speedLine(USUAL)} No cell …\n`;
    expect(speedIn(page)).toEqual(USUAL);
    const speed = {
      requestsPerSecond: USUAL.requestsPerSecond * requests,
      loopsPerSecond: USUAL.loopsPerSecond * loops,
    };
    expect(whyKept(page, speed) !== undefined).toBe(isKept);
    expect(whyKept('# Performance', speed)).toBeUndefined();
  },
);

const rowsOf = (ratio: number) =>
  (['rest', 'graphql'] as const).flatMap((surface) =>
    reportedWorkloads.map((workload) => ({
      cell: { surface, workload },
      costs: [{ gateway: ratio, all: 1 }],
    })),
  );

/** The form of a page without the parentheses around uncertain figures. */
const priceForm = (page: string) => formOf(page).replaceAll('(0)', '0');

describe('prices', () => {
  test.each(MECHANISMS)('the source edits that remove $name still apply', ({ edits }) => {
    const sources = new Map(edits.map(({ file }) => [file, read(file)]));
    for (const edit of edits) {
      const source = sources.get(edit.file) ?? '';
      const changed = replaced(source, edit);
      expect(changed).toContain(edit.by);
      expect(changed).not.toBe(source);
      sources.set(edit.file, changed);
    }
  });

  test.each(['', 'twice and twice'])(
    'an edit of a text that does not occur exactly once throws: %j',
    (source) => {
      expect(() => replaced(source, { file: 'a.ts', text: 'twice', by: '' })).toThrow(/a\.ts/);
    },
  );

  test('a figure within twice the spread of identical versions is in parentheses', () => {
    const spread = Math.log(1.02);
    expect(prices.figureOf([1.05, 1.05], spread)).toBe('1.05');
    expect(prices.figureOf([0.95], spread)).toBe('0.95');
    expect(prices.figureOf([1.03, 1.03], spread)).toBe('(1.03)');
    // Ratios scattered around 1 have the standard error of a mean of four.
    expect(prices.spreadOf([1.04, 1 / 1.04, 1.04, 1 / 1.04])).toBeCloseTo(Math.log(1.04) / 2);
    // Ratios off in one direction keep their deviation, however many pairs there are.
    expect(prices.spreadOf([1.04, 1.04, 1.04, 1.04])).toBeCloseTo(Math.log(1.04));
  });

  const measured = {
    same: rowsOf(1.01),
    prices: MECHANISMS.map((mechanism) => ({ mechanism, rows: rowsOf(1.5) })),
  };
  const page = prices.pricesPage({ ...measured, machine: MACHINE, pairs: 5 });

  test('docs/results/prices.md has the format that npm run bench -- --prices writes', () => {
    expect(priceForm(read(prices.PAGE))).toBe(priceForm(page));
    const table = prices.pricesTable(measured).replaceAll(/ +/g, ' ');
    expect(table).toContain(`| log |${' 1.50 |'.repeat(8)}\n`);
    expect(table).toContain(`| nothing |${' ± 1.0 % |'.repeat(8)}\n`);
  });
});
