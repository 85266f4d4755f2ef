import type { Workload } from '../load/calls.ts';
import type { Surface } from '../load/requests.ts';

/** A combination of server, surface, workload and connections that is measured in rounds. */
export interface Cell {
  /** `ours`, a peer's name, or `growth-N`: ours on a table of N animals. */
  readonly server: string;
  readonly surface: Surface;
  readonly workload: Workload;
  readonly connections: number;
}

export interface Figures {
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Socket errors, timeouts and error responses, including those of the warm-up. */
  readonly errors: number;
  /** Creates that were acknowledged but whose row is missing afterwards, and removals whose row is still there. */
  readonly lost: number;
  /** Microseconds of CPU time per request: of the server, and of PostgreSQL. */
  readonly serverCpu: number;
  readonly databaseCpu: number;
  /** The server's memory at the end of the cell, in MiB. PSS divides shared memory among the processes that share it. */
  readonly rss: number;
  readonly pss: number;
}

export interface Sample extends Figures {
  readonly cell: Cell;
  readonly round: number;
}

/** CPU seconds and wall seconds of one start. */
export interface Start {
  readonly round: number;
  readonly program: 'ours' | 'baseline';
  readonly cpu: number;
  readonly wall: number;
}

/** All measurements. */
export interface Measured {
  readonly samples: readonly Sample[];
  readonly starts: readonly Start[];
  /** RSS of each server in MiB, before its first request. */
  readonly idle: Readonly<Record<string, number>>;
}

/** The name that --only is matched against. */
export function cellName({ server, surface, workload, connections }: Cell): string {
  const growth = /^growth-(\d+)$/.exec(server);
  // In a different form, so that a pattern such as rest/hot doesn't match growth.
  return growth === null
    ? `${server}/${surface}/${workload}/${connections}`
    : `growth/${surface}-${workload}/${growth[1]}`;
}

/** Formats a sample as a line, to show a run's progress. */
export function describeSample({ cell, round, ...figures }: Sample): string {
  const { requestsPerSecond, p50, p99, errors } = figures;
  return `round ${round + 1} ${cellName(cell)}; ${Math.round(requestsPerSecond)}/s, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${errors} errors`;
}
