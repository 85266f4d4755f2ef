import { medianFigure } from '../figures/medians.ts';
import type { Cell, Sample } from '../figures/sample.ts';
import type { Group } from '../plan.ts';
import { count } from '../report/format.ts';
import { markdownTable } from '../report/markdown-table.ts';

export const SERVER = 'gateway';

/** The busiest: its costs are those of a process that is used well. */
const BUSY = 32;

const cellsAt = (connections: number): Group =>
  (['rest', 'graphql'] as const).flatMap((surface) =>
    (['hot', 'mixed', 'get', 'create'] as const).map((work) => ({
      server: SERVER,
      surface,
      work,
      connections,
    })),
  );

export const GROUPS: readonly Group[] = [1, 8, BUSY].map(cellsAt);

/** Requests a second to plan for. */
const RATES = [1000, 100_000, 1_000_000];

/** The share of a core's time to plan with: the rest is for bursts, and for when a machine is gone. */
const UTILIZATION = 0.6;

/** What one request takes. */
export function costsTable(samples: readonly Sample[]): string {
  const rows = GROUPS.flat().map((cell) => {
    const figure = (name: keyof Omit<Sample, 'cell' | 'round'>) =>
      count(medianFigure(samples, cell, name));
    return [
      cell.surface,
      cell.work,
      count(cell.connections),
      figure('requestsPerSecond'),
      figure('serverCpu'),
      figure('serverKernelCpu'),
      figure('databaseCpu'),
      figure('answerBytes'),
    ];
  });
  const header = [
    'API',
    'work',
    'connections',
    'req/s',
    'gateway µs',
    'of it kernel',
    'PostgreSQL µs',
    'bytes sent',
  ];
  return markdownTable(header, rows, 'llrrrrrr');
}

/** What so many requests a second need. */
export function capacityTable(samples: readonly Sample[]): string {
  const rows = cellsAt(BUSY).flatMap((cell) =>
    RATES.map((rate) => [cell.surface, cell.work, count(rate)].concat(needs(samples, cell, rate))),
  );
  const header = ['API', 'work', 'req/s', 'gateway cores', 'PostgreSQL cores', 'Gbit/s sent'];
  return markdownTable(header, rows, 'llrrrr');
}

function needs(samples: readonly Sample[], cell: Cell, rate: number): string[] {
  const perSecond = (figure: 'serverCpu' | 'databaseCpu' | 'answerBytes') =>
    (medianFigure(samples, cell, figure) ?? 0) * rate;
  return [
    cores(perSecond('serverCpu')),
    cores(perSecond('databaseCpu')),
    ((perSecond('answerBytes') * 8) / 1e9).toFixed(2),
  ];
}

function cores(microsecondsPerSecond: number): string {
  return (microsecondsPerSecond / 1e6 / UTILIZATION).toFixed(1);
}
