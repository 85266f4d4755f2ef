import { median } from '../figures/medians.ts';
import { markdownTable } from '../report/markdown-table.ts';
import type { Machine } from '../report/machine.ts';
import { resultsPage } from '../report/page.ts';
import { geometricMean, type PairRow, titleOf } from '../quick/pair-figures.ts';
import type { Mechanism } from './mechanisms.ts';

export const PAGE = 'docs/results/prices.md';

/** The measurements of the gateway without a mechanism. */
export interface Price {
  readonly mechanism: Pick<Mechanism, 'name' | 'without'>;
  readonly rows: readonly PairRow[];
}

export interface Prices {
  readonly machine: Machine;
  readonly pairs: number;
  /** The measurements of an unedited copy. */
  readonly same: readonly PairRow[];
  readonly prices: readonly Price[];
}

/**
 * How much equal versions seem to differ, as a logarithm: the distance of their mean from 1 or, if that is larger, the standard
 * error of a mean over as many pairs.
 */
export function spreadOf(ratios: readonly number[]): number {
  const logarithms = ratios.map(Math.log);
  const squares = logarithms.reduce((sum, each) => sum + each ** 2, 0);
  const error = Math.sqrt(squares) / ratios.length;
  return Math.max(Math.abs(Math.log(geometricMean(ratios).ratio)), error);
}

/** Formats a figure, in parentheses unless it lies beyond twice the spread. */
export function figureOf(ratios: readonly number[], spread: number): string {
  const { ratio } = geometricMean(ratios);
  const text = ratio.toFixed(2);
  return Math.abs(Math.log(ratio)) > 2 * spread ? text : `(${text})`;
}

/** Returns a table with a row for each mechanism and a column for each kind of request. */
export function pricesTable({ same, prices }: Pick<Prices, 'same' | 'prices'>): string {
  const own = same.map((row) => spreadOf(ratiosOf(row)));
  // With few pairs, the spread of one kind may be small by chance.
  const spreads = own.map((spread) => Math.max(spread, median(own) ?? Infinity));
  const header = ['without', ...same.map(({ cell }) => titleOf(cell))];
  const rows = prices.map(({ mechanism, rows: of }) => [
    mechanism.name,
    ...of.map((row, column) => figureOf(ratiosOf(row), spreads[column] ?? Infinity)),
  ]);
  const percents = spreads.map((spread) => `± ${((Math.exp(spread) - 1) * 100).toFixed(1)} %`);
  return markdownTable(header, [...rows, ['nothing', ...percents]], 'l'.padEnd(header.length, 'r'));
}

/** Returns the text of docs/results/prices.md. */
export function pricesPage({ machine, pairs, same, prices }: Prices): string {
  const { date, commit, cores, processor, memory, kernel, node, postgres, wrk } = machine;
  const list = prices.map(({ mechanism: { name, without } }) => `- **${name}:** ${without}\n`);
  return resultsPage({
    title: 'Effect of each mechanism',
    introduction: `For contributors who make the gateway faster: Node.js's CPU time per request without each mechanism, divided by that with it.
\`npm run bench -- --prices\` writes this page.`,
    results: `A ratio over 1 means that the mechanism saves CPU time; a ratio under 1 means that it costs CPU time. A ratio in
parentheses isn't significant: it is within twice the spread of equal versions, which the last row shows.

${date}, commit ${commit}. ${cores} cores (${processor}), ${memory} GiB of memory, Linux ${kernel}, Node ${node},
PostgreSQL ${postgres}, wrk ${wrk}. Geometric means of ${pairs} pairs of processes.

${pricesTable({ same, prices })}
## What is compared

Without each mechanism, the gateway works like this:

${list.join('')}
## How it is measured

A copy of the gateway is edited so that it lacks one mechanism and has all others. It runs beside the unchanged gateway, both on
one core, each with its own embedded PostgreSQL and 10,000 animals. Both are under load at the same time, at 32
connections, so that whatever slows down the machine slows down both. Each pair of new processes is warmed up, then measured
three times for a second with each kind of request of the [benchmark](benchmark.md); the median counts. The spread comes from an
unedited copy: it is the distance of the copy's mean from 1 or the error of a mean of as many pairs, whichever is larger, but at least
the median spread of all kinds of requests.
`,
  });
}

function ratiosOf({ costs }: PairRow): readonly number[] {
  return costs.map(({ gateway }) => gateway);
}
