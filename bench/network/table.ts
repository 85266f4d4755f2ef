import { median, medianFigure, medianRatio, samplesOf } from '../figures/medians.ts';
import type { Sample } from '../figures/sample.ts';
import { type Group, OURS } from '../plan.ts';
import { count, milliseconds, ratio } from '../report/format.ts';
import { markdownTable } from '../report/markdown-table.ts';
import { type Distance, PEERS } from './cells.ts';

/** What was measured at a distance. */
export interface DistantSamples extends Distance {
  readonly samples: readonly Sample[];
  /** Milliseconds that an empty statement took, each time. */
  readonly trips: readonly number[];
}

const COLUMNS = [...PEERS.rest, ...PEERS.graphql];

/** A row for each work: the gateway's figures, and its requests a second by each peer's. */
export function tableOf(measured: readonly DistantSamples[]): string {
  const rows = measured.flatMap(({ roundTrip, groups, samples }) =>
    groups.map((group) => [String(roundTrip), ...figuresOf(group, samples)]),
  );
  const header = ['ms', 'API', 'work', 'connections', 'req/s', 'p50 ms', 'CPU µs'];
  const columns = [...header, ...COLUMNS.map((name) => `÷ ${name}`), 'errors'];
  const took = measured.map(
    ({ roundTrip, trips }) => `${milliseconds(median(trips))} ms for ${roundTrip}`,
  );
  return `${markdownTable(columns, rows, 'rllrrrrrrrr')}\nAn empty statement took ${took.join(', ')}.\n`;
}

function figuresOf(group: Group, samples: readonly Sample[]): string[] {
  const [cell] = group;
  if (cell === undefined) return [];
  const ours = { ...cell, server: OURS };
  const { surface, work, connections } = cell;
  const ratios = COLUMNS.map((server) =>
    ratio(medianRatio(samples, ours, { ...cell, server }, 'requestsPerSecond')),
  );
  const all = group.flatMap((each) => samplesOf(samples, each));
  return [
    surface,
    work,
    String(connections),
    count(medianFigure(samples, ours, 'requestsPerSecond')),
    milliseconds(medianFigure(samples, ours, 'p50')),
    count(medianFigure(samples, ours, 'serverCpu')),
    ...ratios,
    count(all.reduce((sum, { errors, lost }) => sum + errors + lost, 0)),
  ];
}
