import { comparison, isMet, type Verdict } from '../figures/verdict.ts';
import { reportedWorkloads } from '../load/calls.ts';
import { markdownTable } from './markdown-table.ts';

const SURFACES = { rest: 'REST', graphql: 'GraphQL' } as const;

const COLUMNS = (['rest', 'graphql'] as const).flatMap((surface) =>
  reportedWorkloads.map((workload) => ({
    surface,
    workload,
    title: `${SURFACES[surface]} ${workload}`,
  })),
);

/** Returns a table with a row for each figure and a column for each workload. */
export function targetsTable(verdicts: readonly Verdict[]): string {
  const figures = new Set(
    verdicts.filter(({ of }) => of !== undefined).map(({ figure }) => figure),
  );
  const rows = [...figures]
    .map((figure) =>
      [figure].concat(
        COLUMNS.map(({ surface, workload }) => {
          const found = verdicts.find(
            ({ figure: name, of }) =>
              name === figure && of?.surface === surface && of.workload === workload,
          );
          return found === undefined ? '' : comparison(found);
        }),
      ),
    )
    .filter(([, ...cells]) => cells.some((cell) => cell !== ''));
  const header = ['at 32 connections', ...COLUMNS.map(({ title }) => title)];
  return rows.length === 0 ? '' : markdownTable(header, rows, 'l'.padEnd(header.length, 'r'));
}

/** The number of missed targets in a sentence; empty if nothing with a target was measured. */
export function missedTargets(verdicts: readonly Verdict[]): string {
  const met = verdicts.map(isMet).filter((verdict) => verdict !== undefined);
  const missed = met.filter((verdict) => !verdict).length;
  return met.length === 0 ? '' : `${missed} of ${met.length} targets are missed.\n`;
}

/** The figures of the process as a whole, as a sentence; empty if none was measured. */
export function targetsOfProcess(verdicts: readonly Verdict[]): string {
  const figures = verdicts
    .filter(({ of, measured }) => of === undefined && measured !== undefined)
    .map((verdict) => `${verdict.figure}: ${comparison(verdict)}`);
  return figures.length === 0 ? '' : `Figures of the process: ${figures.join('; ')}.\n`;
}
