import { LIMITS } from '../competitors.ts';
import { median } from '../figures/medians.ts';
import type { Start } from '../figures/sample.ts';
import { verdicts } from '../figures/targets.ts';
import type { Results } from '../measure-all.ts';
import { peers } from '../peers/peers.ts';
import type { Machine } from './machine.ts';
import { markdownTable } from './markdown-table.ts';
import { growthTable, resultsTable } from './results-table.ts';
import { targetsTable } from './targets-table.ts';

/** All results in Markdown, for a terminal and for docs/performance.md. */
export function report({ whole, machine, rounds, seconds, samples, starts }: Results): string {
  const targets = verdicts(samples, starts, LIMITS).filter(({ met }) => whole || met !== undefined);
  return [
    surroundings(machine, rounds, seconds),
    section('Targets', targets.length === 0 ? '' : targetsTable(targets)),
    section('REST', resultsTable(samples, 'rest')),
    section('GraphQL', resultsTable(samples, 'graphql')),
    section('Growth', growthTable(samples)),
    section('Start', startTable(starts)),
    section('Servers', serversTable(samples.map(({ cell }) => cell.server))),
  ]
    .filter(Boolean)
    .join('\n');
}

function section(title: string, body: string): string {
  return body === '' ? '' : `### ${title}\n\n${body}`;
}

function surroundings(machine: Machine, rounds: number, seconds: number): string {
  const { date, commit, cores, processor, memory, kernel, node, postgres, wrk } = machine;
  return `${date}, commit ${commit}. ${cores} cores (${processor}), ${memory} GiB of memory, Linux ${kernel}, Node ${node},
PostgreSQL ${postgres}, wrk ${wrk}. Medians of ${rounds} rounds of ${seconds} s for each cell.
`;
}

function startTable(starts: readonly Start[]): string {
  const row = (title: string, program: Start['program']) => {
    const own = starts.filter((start) => start.program === program);
    const medians = [own.map(({ cpu }) => cpu), own.map(({ wall }) => wall)].map(median);
    return [title].concat(medians.map((seconds) => seconds?.toFixed(2) ?? ''));
  };
  if (starts.length === 0) return '';
  return markdownTable(
    ['program', 'CPU s', 'wall s'],
    [
      row('the gateway, to its first 200', 'ours'),
      row('Express, Yoga and Prisma imported, PostgreSQL started', 'baseline'),
    ],
    'lrr',
  );
}

function serversTable(names: readonly string[]): string {
  const rows = peers
    .filter(({ name }) => names.includes(name))
    .map(({ name, title }) => [name, title]);
  return rows.length === 0 ? '' : markdownTable(['server', 'made of'], rows, 'll');
}
