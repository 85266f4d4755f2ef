import { markdownTable } from '../../../bench/report/markdown-table.ts';

/** Returns a table with a row for each fault, the number of its rounds, and the given columns. */
export function figuresOf<Outcome extends { readonly what: string }>(
  outcomes: readonly Outcome[],
  title: string,
  columns: Readonly<Record<string, (all: readonly Outcome[]) => number | string>>,
): string {
  const header = [title, 'rounds', ...Object.keys(columns)];
  const rows = [...Map.groupBy(outcomes, ({ what }) => what)].map(([what, all]) =>
    [what, String(all.length)].concat(Object.values(columns).map((column) => String(column(all)))),
  );
  return markdownTable(header, rows, 'l'.padEnd(header.length, 'r'));
}

export const sumOf =
  <Outcome>(amount: (outcome: Outcome) => number) =>
  (all: readonly Outcome[]): number =>
    all.reduce((total, outcome) => total + amount(outcome), 0);
