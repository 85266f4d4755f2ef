import type { Machine } from '../../bench/report/machine.ts';
import type { Cell, Figures, Sample } from '../../bench/figures/sample.ts';

/** A sample machine for measurements. */
export const MACHINE: Machine = {
  date: '2026-11-22',
  commit: '267968a',
  cores: 4,
  processor: 'AMD EPYC',
  memory: 24,
  kernel: '6.18.44-fc-v669',
  node: '26.10.0',
  postgres: '18.4',
  wrk: '4.1.0-3+b2',
};

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

/**
 * Returns a server's sample from one round, by default for REST's hot list at 32 connections; `given` contains the
 * values that matter.
 */
export function benchSample(
  server: string,
  round: number,
  given: Partial<Figures & Omit<Cell, 'server'>>,
): Sample {
  const { surface = 'rest', workload = 'hot', connections = 32, ...figures } = given;
  return { ...FIGURES, ...figures, cell: { server, surface, workload, connections }, round };
}
