import type { Work } from '../load/calls.ts';
import type { Costs } from './costs.ts';
import { type Outcome, simulate } from './simulate.ts';
import { scaled } from './systems.ts';

export const CORES = [16, 64] as const;

/** A few clients for each worker, and as many as its batches have. */
export const CLIENTS = [4, 64] as const;

/** Of the connections of a process, those that reads or writes have (docs/postgresql.md). */
const POOL_SIZE = 5;

/** Rounds of all clients that are simulated at least. */
const ROUNDS = 10;

/** What a larger machine makes of a work. */
export interface Scaled {
  readonly work: Work;
  readonly cores: number;
  readonly clientsPerWorker: number;
  /** Whether PostgreSQL is on a machine of the same size, at 1 ms. */
  readonly isApart: boolean;
  readonly outcome: Outcome;
  /** Requests a second if each had a statement of its own. */
  readonly unbatched: number;
}

/** Predicts each work on larger machines, with a worker for each core. */
export function scaleUp(costs: ReadonlyMap<Work, Costs>): readonly Scaled[] {
  return [...costs].flatMap(([work, own]) =>
    [true, false].flatMap((isApart) =>
      CORES.flatMap((cores) =>
        CLIENTS.map((clientsPerWorker) => {
          const run = (each: Costs) =>
            simulate(
              scaled([[each, 1]], cores, clientsPerWorker, isApart),
              Math.max(5000, ROUNDS * cores * clientsPerWorker),
            );
          return {
            work,
            cores,
            clientsPerWorker,
            isApart,
            outcome: run(own),
            unbatched: run(unbatched(own)).requestsPerSecond,
          };
        }),
      ),
    ),
  );
}

function unbatched(costs: Costs): Costs {
  return { ...costs, maxBatch: 1, maxInFlight: POOL_SIZE };
}
