import { median, medianFigure, medianRatio, samplesOf } from '../figures/medians.ts';
import type { Cell, Sample } from '../figures/sample.ts';
import { atMost, comparison } from '../figures/verdict.ts';
import type { Workload } from '../load/calls.ts';
import type { Surface } from '../load/requests.ts';
import { type Group, OURS } from '../plan.ts';
import { count, ratio } from '../report/format.ts';
import { markdownTable } from '../report/markdown-table.ts';

/** Maximum ratio of the CPU time of a change to that of a create. */
const MOST = 1.3;

const SURFACES = { rest: 'REST', graphql: 'GraphQL' } as const;

/** Returns a row for each workload of each peer: the gateway's figures, and their ratios to the peer's. */
export function peersTable(groups: readonly Group[], samples: readonly Sample[]): string {
  const rows = groups.flatMap(([ours, ...peers]) =>
    ours === undefined ? [] : peers.map((peer) => peerRow(samples, ours, peer)),
  );
  const header =
    "surface|workload|req/s|÷ peer's|CPU µs|÷ peer's|PostgreSQL's|÷ peer's|peer|errors".split('|');
  return markdownTable(header, rows, 'llrrrrrrlr');
}

function peerRow(samples: readonly Sample[], ours: Cell, peer: Cell): string[] {
  const figures = (['requestsPerSecond', 'serverCpu', 'databaseCpu'] as const).flatMap((name) => [
    count(medianFigure(samples, ours, name)),
    ratio(medianRatio(samples, ours, peer, name)),
  ]);
  const all = [ours, peer].flatMap((cell) => samplesOf(samples, cell));
  const errors = all.reduce((sum, sample) => sum + sample.errors + sample.lost, 0);
  return [ours.surface, ours.workload, ...figures, peer.server, count(errors)];
}

/** The ratio of the gateway's CPU time for a change to that for a create, in a sentence. */
export function changeCosts(samples: readonly Sample[]): string {
  const ratios = (['rest', 'graphql'] as const).map((surface) => {
    const change = cellOf(surface, 'change');
    const { own, all } = costRatios(samples, change, cellOf(surface, 'create'), MOST);
    return `${SURFACES[surface]} ${own}, with PostgreSQL's ${all}`;
  });
  return `CPU time of a change ÷ that of a create: ${ratios.join('; ')}.\n`;
}

/** The median ratios of CPU times within rounds, each with its maximum. */
function costRatios(samples: readonly Sample[], of: Cell, to: Cell, most: number) {
  const divisors = new Map(samplesOf(samples, to).map((sample) => [sample.round, sample]));
  const ratioOf = (cost: (sample: Sample) => number) => {
    const ratios = samplesOf(samples, of).flatMap((sample) => {
      const divisor = divisors.get(sample.round);
      return divisor === undefined ? [] : [cost(sample) / cost(divisor)];
    });
    return comparison(atMost('', median(ratios), most));
  };
  return {
    own: ratioOf(({ serverCpu }) => serverCpu),
    all: ratioOf(({ serverCpu, databaseCpu }) => serverCpu + databaseCpu),
  };
}

function cellOf(surface: Surface, workload: Workload): Cell {
  return { server: OURS, surface, workload, connections: 32 };
}
