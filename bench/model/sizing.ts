import type { Work } from '../load/calls.ts';
import type { Costs } from './costs.ts';
import { type Outcome, simulate, type System } from './simulate.ts';

/** How busy machines are at most, on average: the rest is for bursts, and for when one is gone. */
const UTILIZATION = 0.6;

/** Four pages of five requests, and a create. */
const SHARES: readonly (readonly [Work, share: number])[] = [
  ['mixed', 0.8],
  ['create', 0.2],
];

/** Cores of PostgreSQL in the simulation: more than a process keeps busy. */
const MANY = 16;

/** What so many requests a second take. */
export interface Sizing {
  readonly requestsPerSecond: number;
  /** Pages of a statement, and creates of one. */
  readonly batchOfWorks: readonly number[];
  readonly processes: number;
  /** Of PostgreSQL, as busy: of the primary, for creates alone, and of all replicas, for pages. */
  readonly primaryCores: number;
  readonly replicaCores: number;
}

/** Sizes gateways and PostgreSQL for a rate, with 1 ms of network between them. */
export function sizeFor(requestsPerSecond: number, costs: ReadonlyMap<Work, Costs>): Sizing {
  const works = SHARES.flatMap(([work, share]) => {
    const own = costs.get(work);
    return own === undefined ? [] : [[own, share] as const];
  });
  const { batchOfWorks, requestsPerSecond: each } = usedWell(works);
  const [replicaCores = 0, primaryCores = 0] = works.map(([own, share], work) => {
    const cpu = own.row + own.execution / (batchOfWorks[work] ?? 1);
    return (requestsPerSecond * share * cpu) / 1e6 / UTILIZATION;
  });
  return {
    requestsPerSecond,
    batchOfWorks,
    processes: requestsPerSecond / each,
    primaryCores,
    replicaCores,
  };
}

/** A process with as many clients as make it that busy. */
function usedWell(works: System['works']): Outcome {
  for (let connections = 1; ; connections += 1) {
    const outcome = simulate({
      cores: 2,
      databaseCores: MANY,
      roundTrip: 1000,
      workers: 1,
      supervisor: 0,
      loadThreads: 0,
      connections,
      works,
    });
    if (outcome.busy >= UTILIZATION) return outcome;
  }
}
