import { medianFigure, medianRatio, samplesOf } from '../figures/medians.ts';
import type { Cell, Sample } from '../figures/sample.ts';
import type { Group } from '../plan.ts';
import { count, milliseconds, ratio } from '../report/format.ts';
import { markdownTable } from '../report/markdown-table.ts';
import { PLAIN, WORKS } from './cells.ts';
import type { Sizing } from './sizing.ts';

const NAMES: ReadonlyMap<string, string> = new Map(WORKS);

/** A row for each kind of request and cluster: its figures, and what they are divided by PostgreSQL's of the same round. */
export function figuresTable(groups: readonly Group[], samples: readonly Sample[]): string {
  const rows = groups.flat().map((cell) => rowOf(cell, samples));
  const header =
    'request|connections|cluster|req/s|÷ plain|p50 ms|÷ plain|p99 ms|gateway µs|coordinator µs|÷ plain|workers µs|errors';
  return markdownTable(header.split('|'), rows, 'lrlrrrrrrrrrr');
}

function rowOf(cell: Cell, samples: readonly Sample[]): string[] {
  const plain = { ...cell, server: PLAIN };
  const figure = (name: 'requestsPerSecond' | 'p50' | 'databaseCpu') =>
    [medianFigure(samples, cell, name), ratio(medianRatio(samples, cell, plain, name))] as const;
  const [rate, rateRatio] = figure('requestsPerSecond');
  const [p50, p50Ratio] = figure('p50');
  const [coordinator, coordinatorRatio] = figure('databaseCpu');
  const all = samplesOf(samples, cell);
  return [
    NAMES.get(cell.work) ?? cell.work,
    count(cell.connections),
    cell.server,
    count(rate),
    rateRatio,
    milliseconds(p50),
    p50Ratio,
    milliseconds(medianFigure(samples, cell, 'p99')),
    count(medianFigure(samples, cell, 'serverCpu')),
    count(coordinator),
    coordinatorRatio,
    count(medianFigure(samples, cell, 'workersCpu')),
    count(all.reduce((sum, { errors, lost }) => sum + errors + lost, 0)),
  ];
}

/** What many requests a second take, and how many the coordinator can do. */
export function sizingTable(sizings: readonly Sizing[]): string {
  const rows = sizings.map((sizing) => [
    sizing.server,
    count(sizing.gatewayCores),
    count(sizing.coordinatorCores),
    count(sizing.workerCores),
    count(sizing.atMost),
  ]);
  const header = ['cluster', 'gateway cores', 'coordinator cores', 'worker cores', 'req/s at most'];
  return markdownTable(header, rows, 'lrrrr');
}
