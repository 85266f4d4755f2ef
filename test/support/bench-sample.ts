import type { Cell, Figures, Sample } from '../../bench/figures/sample.ts';

const FIGURES: Figures = {
  requestsPerSecond: 1,
  p50: 1,
  p99: 1,
  errors: 0,
  lost: 0,
  serverCpu: 1,
  databaseCpu: 1,
  rss: 1,
  pss: 1,
};

/** A sample of a server in a round, REST's hot list at 32 connections unless told; `given` is all that matters. */
export function benchSample(
  server: string,
  round: number,
  given: Partial<Figures & Omit<Cell, 'server'>>,
): Sample {
  const { surface = 'rest', work = 'hot', connections = 32, ...figures } = given;
  return { ...FIGURES, ...figures, cell: { server, surface, work, connections }, round };
}
