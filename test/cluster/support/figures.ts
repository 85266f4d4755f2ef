import type { Outcome } from './failover.ts';

/** A table of what came of each fault, in Markdown. */
export function figuresOf(outcomes: readonly Outcome[]): string {
  const rows = [...Map.groupBy(outcomes, ({ what }) => what)].map(([what, all]) => {
    const sum = (amount: (outcome: Outcome) => number) =>
      all.reduce((total, outcome) => total + amount(outcome), 0);
    return [
      what,
      all.length,
      sum(({ acknowledged }) => acknowledged),
      sum(({ lost }) => lost.length),
      sum(({ wrong }) => wrong.length),
      spread(all.map(({ untilPromoted }) => untilPromoted)),
      spread(all.map(({ creates503 }) => creates503)),
      spread(all.map(({ reads503 }) => reads503)),
      spread(all.map(({ untilWhole }) => untilWhole)),
    ];
  });
  return [HEAD, HEAD.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

const HEAD = [
  'of the primary',
  'rounds',
  'acknowledged',
  'lost or doubled',
  'wrong responses',
  'promoted after s',
  'creates 503 s',
  'reads 503 s',
  'whole after s',
];

/** The median, and the largest. */
function spread(seconds: readonly number[]): string {
  const sorted = seconds.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return `${median.toFixed(1)}, ≤ ${(sorted.at(-1) ?? 0).toFixed(1)}`;
}
