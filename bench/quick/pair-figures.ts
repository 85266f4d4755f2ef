import { markdownTable } from '../report/markdown-table.ts';
import type { Costs, QuickCell } from './compare.ts';

/** The geometric mean of ratios, and its standard error relative to it. */
export interface Mean {
  readonly ratio: number;
  readonly error: number;
}

/** A kind of request, and the ratio of its CPU time now to that before, for each pair of processes. */
export interface PairRow {
  readonly cell: QuickCell;
  readonly costs: readonly Costs[];
}

/**
 * Returns the geometric mean, in which a ratio and its inverse cancel out, unlike in an arithmetic mean. The error of a single
 * ratio is unknown: NaN.
 */
export function geometricMean(ratios: readonly number[]): Mean {
  const logarithms = ratios.map(Math.log);
  const { length } = ratios;
  const mean = sum(logarithms) / length;
  const variance = sum(logarithms.map((each) => (each - mean) ** 2)) / (length - 1);
  return { ratio: Math.exp(mean), error: Math.sqrt(variance / length) };
}

/** Returns the mean over all rows from the mean of each pair, because what makes a process slower affects all of its rows. */
export function meanOfRows(rows: readonly (readonly number[])[]): Mean {
  const [first = []] = rows;
  return geometricMean(
    first.map((_, pair) => geometricMean(rows.map((row) => row[pair] ?? Number.NaN)).ratio),
  );
}

/** A table with a row for each kind of request and one for all, and a sentence about the worst. */
export function pairsReport(rows: readonly PairRow[]): string {
  const meansOf = (of: keyof Costs) =>
    rows.map(({ cell, costs }) => ({
      title: titleOf(cell),
      ratios: costs.map((each) => each[of]),
      mean: geometricMean(costs.map((each) => each[of])),
    }));
  const gateway = meansOf('gateway');
  const all = meansOf('all');
  const overall = [gateway, all].map((means) => meanOfRows(means.map(({ ratios }) => ratios)));
  const table = markdownTable(
    ['CPU per request, now ÷ before', 'Node', 'with PostgreSQL'],
    [
      ...gateway.map(({ title, mean }, place) => [
        title,
        textOf(mean),
        textOf(all[place]?.mean ?? mean),
      ]),
      ['**all**', ...overall.map(textOf)],
    ],
    'lrr',
  );
  const worst = [gateway, all].map((means) =>
    means.reduce((a, b) => (b.mean.ratio > a.mean.ratio ? b : a)),
  );
  const [ofNode, ofAll] = worst.map(({ title, mean }) => `${title} ${textOf(mean)}`);
  return `${table}\nWorst: ${ofNode}; with PostgreSQL ${ofAll}.\n`;
}

export function titleOf({ surface, workload }: QuickCell): string {
  return `${surface === 'rest' ? 'REST' : 'GraphQL'} ${workload}`;
}

function textOf({ ratio, error }: Mean): string {
  const known = Number.isNaN(error) ? '' : ` ± ${(ratio * error).toFixed(3)}`;
  return ratio.toFixed(3) + known;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
