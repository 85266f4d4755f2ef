import { medianFigure } from '../figures/medians.ts';
import type { Figures, Sample } from '../figures/sample.ts';
import { BUSY, CLUSTERS } from './cells.ts';

/** How busy machines are at most, and four pages of five requests, as docs/scaling.md reckons. */
const UTILIZATION = 0.6;
const SHARES = [
  ['mixed', 0.8],
  ['create', 0.2],
] as const;

/** Requests a second to plan for. */
export const RATE = 1_000_000;

/** Cores of a machine that only the largest are bigger than. */
export const LARGE_MACHINE = 64;

export interface Sizing {
  readonly server: string;
  readonly gatewayCores: number;
  /** Of PostgreSQL without Citus, the primary's. */
  readonly coordinatorCores: number;
  readonly workerCores: number;
  /** Requests a second at which a coordinator of a large machine is as busy as it may be. */
  readonly atMost: number;
}

/** On paper: from the CPU time of a request where requests are batched. */
export function sizesFor(samples: readonly Sample[]): readonly Sizing[] {
  return [...CLUSTERS.keys()].map((server) => {
    const cores = (name: keyof Figures) =>
      SHARES.reduce((sum, [work, share]) => {
        const cell = { server, surface: 'rest', work, connections: BUSY } as const;
        return sum + (((medianFigure(samples, cell, name) ?? 0) * RATE) / 1e6) * share;
      }, 0) / UTILIZATION;
    const coordinatorCores = cores('databaseCpu');
    return {
      server,
      gatewayCores: cores('serverCpu'),
      coordinatorCores,
      workerCores: cores('workersCpu'),
      atMost: (RATE * LARGE_MACHINE) / coordinatorCores,
    };
  });
}
