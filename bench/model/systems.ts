import type { Costs } from './costs.ts';
import type { System } from './simulate.ts';

/** The gateway, PostgreSQL and the load on one machine, as the benchmark has them. */
export function onOneMachine(
  costs: Costs,
  of: Pick<System, 'cores' | 'workers' | 'supervisor' | 'connections'>,
): System {
  return {
    ...of,
    databaseCores: 0,
    roundTrip: 0,
    // As wrk is started.
    loadThreads: of.connections === 1 ? 1 : 2,
    works: [[costs, 1]],
  };
}

/** A worker for each core, PostgreSQL on a machine of the same size or on the same one, and clients elsewhere. */
export function scaled(
  works: System['works'],
  cores: number,
  clientsPerWorker: number,
  isApart: boolean,
): System {
  return {
    cores,
    databaseCores: isApart ? cores : 0,
    roundTrip: isApart ? 1000 : 0,
    workers: cores,
    supervisor: 0,
    loadThreads: 0,
    connections: cores * clientsPerWorker,
    works,
  };
}
