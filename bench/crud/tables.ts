import { median, medianFigure, medianRatio, samplesOf } from '../figures/medians.ts';
import type { Cell, Sample } from '../figures/sample.ts';
import { atMost, comparison } from '../figures/verdict.ts';
import type { Surface } from '../load/requests.ts';
import { type Group, OURS } from '../plan.ts';
import { count, ratio } from '../report/format.ts';
import { markdownTable } from '../report/markdown-table.ts';

/** The CPU time of a change by that of a create. */
const MOST = 1.3;

/** A row for each peer that did a work: the gateway's figures, and what they are divided by the peer's. */
export function peersTable(groups: readonly Group[], samples: readonly Sample[]): string {
  const rows = groups.flatMap(([ours, ...peers]) =>
    ours === undefined ? [] : peers.map((peer) => peerRow(samples, ours, peer)),
  );
  const header =
    "surface|work|req/s|÷ peer's|CPU µs|÷ peer's|PostgreSQL's|÷ peer's|peer|errors".split('|');
  return markdownTable(header, rows, 'llrrrrrrlr');
}

function peerRow(samples: readonly Sample[], ours: Cell, peer: Cell): string[] {
  const figures = (['requestsPerSecond', 'serverCpu', 'databaseCpu'] as const).flatMap((name) => [
    count(medianFigure(samples, ours, name)),
    ratio(medianRatio(samples, ours, peer, name)),
  ]);
  const all = [ours, peer].flatMap((cell) => samplesOf(samples, cell));
  const errors = all.reduce((sum, sample) => sum + sample.errors + sample.lost, 0);
  return [ours.surface, ours.work, ...figures, peer.server, count(errors)];
}

/** What a change costs the gateway by what a create does, in sentences. */
export function changeCosts(samples: readonly Sample[]): string {
  const lines = (['rest', 'graphql'] as const).map((surface) => {
    const [own, all] = [false, true].map((withDatabase) =>
      comparison(atMost('', changeCost(samples, surface, withDatabase), MOST)),
    );
    return `${surface === 'rest' ? 'REST' : 'GraphQL'}: ${own}, with PostgreSQL's ${all}`;
  });
  return `CPU time of a change ÷ that of a create. ${lines.join('. ')}.\n`;
}

function changeCost(
  samples: readonly Sample[],
  surface: Surface,
  withDatabase: boolean,
): number | undefined {
  const costs = (work: 'change' | 'create') =>
    samplesOf(samples, { server: OURS, surface, work, connections: 32 }).map(
      ({ serverCpu, databaseCpu }) => serverCpu + (withDatabase ? databaseCpu : 0),
    );
  const creates = costs('create');
  return median(costs('change').map((cost, round) => cost / (creates[round] ?? Number.NaN)));
}
