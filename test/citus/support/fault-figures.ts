import type { Outcome } from './fault-round.ts';

const HEAD = [
  'what happened',
  'rounds',
  'acknowledged',
  'lost or doubled',
  'wrong',
  'gaps',
  '503 s',
];

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
      sum(({ gaps }) => gaps.length),
      `≤ ${Math.max(...all.map(({ seconds503 }) => seconds503)).toFixed(1)}`,
    ];
  });
  return [HEAD, HEAD.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}
