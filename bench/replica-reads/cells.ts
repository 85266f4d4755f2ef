/** How many animals there are. */
export const PETS = 100_000;

/** Batches in a second, whatever answers them. */
export const BATCHES_PER_SECOND = 200;

export const REPLICA_COUNTS = [0, 1, 2] as const;

/** What is measured. */
export interface Cell {
  /** How many animals are added in a second meanwhile. */
  readonly creates: number;
  /** How many pages are asked for at once. */
  readonly pages: number;
  readonly replicas: number;
}

export const CELLS: readonly Cell[] = [0, 200].flatMap((creates) =>
  [1, 8, 32].flatMap((pages) => REPLICA_COUNTS.map((replicas) => ({ creates, pages, replicas }))),
);

export interface Sample {
  readonly cell: Cell;
  /** CPU time of the primary and of all replicas for each page: microseconds. */
  readonly primaryCpu: number;
  readonly replicaCpu: number;
  /** Of a batch: milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Of the statements, those that replicas have answered, from 0 to 1. */
  readonly share: number;
}
