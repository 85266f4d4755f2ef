import { LIMITS } from '../competitors.ts';
import { median } from '../figures/medians.ts';
import type { Start } from '../figures/sample.ts';
import { verdicts } from '../figures/targets.ts';
import type { Results } from '../measure-all.ts';
import { peers } from '../peers/peers.ts';
import { markdownTable } from './markdown-table.ts';
import { growthTable, resultsTable } from './results-table.ts';
import { speedLine } from './speed-line.ts';
import { missedTargets, targetsOfProcess, targetsTable } from './targets-table.ts';

/** All results in Markdown, for a terminal. */
export function report(results: Results): string {
  const { samples, starts } = results;
  const off = new Set(results.off);
  return [
    missedTargets(verdicts(results, LIMITS)),
    summary(results),
    section('REST', resultsTable(samples, 'rest', off)),
    section('GraphQL', resultsTable(samples, 'graphql', off)),
    section('Growth', growthTable(samples)),
    section('Start', startTable(starts)),
  ]
    .filter(Boolean)
    .join('\n');
}

/** The machine and the method, the table, and the figures of the process. */
export function summary(results: Results): string {
  const { samples } = results;
  const figures = verdicts(results, LIMITS);
  return [
    surroundings(results),
    targetsTable(figures),
    targetsOfProcess(figures),
    serversLine(samples.map(({ cell }) => cell.server)),
  ]
    .filter(Boolean)
    .join('\n');
}

function section(title: string, body: string): string {
  return body === '' ? '' : `### ${title}\n\n${body}`;
}

function surroundings({ machine, rounds, seconds, speed, off }: Results): string {
  const { date, commit, cores, processor, memory, kernel, node, postgres, wrk } = machine;
  // Groups are counted without their servers, because whole groups are measured again. The tables mark their cells.
  const groups = new Set(off.map((name) => name.replace(/^(growth\/[^/]+).*|^[^/]+\//, '$1')));
  const steady =
    off.length === 0
      ? 'It was never 10 % slower or faster.'
      : `For ${groups.size} groups of cells, the machine was 10 % slower or faster in at least one round, even when the group was measured again.`;
  return `${date}, commit ${commit}. ${cores} cores (${processor}), ${memory} GiB of memory, Linux ${kernel}, Node ${node},
PostgreSQL ${postgres}, wrk ${wrk}. Medians of ${rounds} rounds of ${seconds} s for each cell.
${speedLine(speed)} ${steady}
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

function serversLine(names: readonly string[]): string {
  const titles = peers
    .filter(({ name }) => names.includes(name))
    .map(({ name, title }) => `${name} is ${title}`);
  return titles.length === 0 ? '' : `Peers: ${titles.join('; ')}.\n`;
}
