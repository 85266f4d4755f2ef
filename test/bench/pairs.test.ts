import { describe, expect, test } from 'vitest';
import { OPTIONS, readMode } from '../../bench/options.ts';
import {
  geometricMean,
  meanOfRows,
  type PairRow,
  pairsReport,
} from '../../bench/quick/pair-figures.ts';

describe('means', () => {
  test('a ratio and its inverse even out', () => {
    expect(geometricMean([2, 0.5]).ratio).toBeCloseTo(1);
    expect(geometricMean([1.02, 1.04, 1.03]).ratio).toBeCloseTo(1.03, 4);
  });

  test('the error is that of the mean, and there is none of a single ratio', () => {
    // ln 1.1 and its inverse have a deviation of √2 ln 1.1, and a mean of two has 1/√2 of that.
    expect(geometricMean([1.1, 1 / 1.1]).error).toBeCloseTo(Math.log(1.1));
    expect(geometricMean([1.1]).error).toBeNaN();
  });

  test('what makes a process slower is in all of its rows, so that more rows do not hide it', () => {
    const pairs = [1.1, 1 / 1.1];
    const { ratio, error } = meanOfRows([pairs, pairs, pairs, pairs]);
    expect(ratio).toBeCloseTo(1);
    expect(error).toBeCloseTo(Math.log(1.1));
  });
});

function row(work: 'get' | 'mixed', gateway: number): PairRow {
  const costs = [gateway, gateway].map((each) => ({ gateway: each, all: 1 / each }));
  return { cell: { surface: 'rest', work }, costs };
}

test('a report has a row for each kind of request, one for all, and names the worst', () => {
  const report = pairsReport([row('get', 0.5), row('mixed', 2)]);
  expect(report.replaceAll(/ +/g, ' ').split('\n').slice(2)).toEqual([
    '| REST get | 0.500 ± 0.000 | 2.000 ± 0.000 |',
    '| REST mixed | 2.000 ± 0.000 | 0.500 ± 0.000 |',
    '| **all** | 1.000 ± 0.000 | 1.000 ± 0.000 |',
    '',
    'Worst: REST mixed 2.000 ± 0.000; with PostgreSQL REST get 2.000 ± 0.000.',
    '',
  ]);
});

describe('options', () => {
  const DEFAULTS = {
    quick: OPTIONS.quick.default,
    prices: OPTIONS.prices.default,
    rounds: OPTIONS.rounds.default,
    seconds: OPTIONS.seconds.default,
  };
  const modeOf = (given: object) =>
    readMode({ positionals: [], values: { ...DEFAULTS, ...given } });

  test('--quick is the smoke benchmark, unless it is told how many pairs to measure', () => {
    expect(modeOf({ quick: true })).toEqual({ kind: 'quick' });
    expect(modeOf({ quick: true, base: 'v1.0.0', pairs: '10' })).toEqual({
      kind: 'quick',
      base: 'v1.0.0',
      pairs: 10,
    });
  });

  test('--prices measures all mechanisms by five pairs, or some by others', () => {
    expect(modeOf({ prices: true })).toEqual({ kind: 'prices', pairs: 5 });
    expect(modeOf({ prices: true, only: 'log', pairs: '1' })).toEqual({
      kind: 'prices',
      only: /log/,
      pairs: 1,
    });
  });

  test('without either, it compares with the peers', () => {
    expect(modeOf({ rounds: '2' })).toEqual({ kind: 'all', rounds: 2, seconds: 2 });
  });

  test.each([
    ['pairs of nothing', { pairs: '10' }, /--pairs/],
    ['no pairs', { quick: true, pairs: '0' }, /--pairs/],
    ['two things', { quick: true, prices: true }, /exclude each other/],
    ['no regular expression', { prices: true, only: '(' }, /--only/],
  ])('%s are refused', (_what, given, message) => {
    expect(() => modeOf(given)).toThrow(message);
  });
});
