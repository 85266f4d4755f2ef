import type { Work } from '../load/calls.ts';
import type { Machine } from '../report/machine.ts';

/** Medians of a cell. */
export interface MeasuredCell {
  readonly work: Work;
  readonly connections: number;
  /** Processes that serve. */
  readonly workers: number;
  readonly requestsPerSecond: number;
  /** CPU microseconds for a request: of all the gateway's processes, of PostgreSQL, and of wrk. */
  readonly gatewayCpu: number;
  readonly databaseCpu: number;
  readonly loadCpu: number;
  /** Of the gateway's, what the thread of the event loop takes, in parts of 1. */
  readonly mainThread: number;
  /** Of the gateway's, the supervisor's. */
  readonly supervisorCpu: number;
}

/** All that the model knows. */
export interface Measured {
  readonly machine: Machine;
  readonly cells: readonly MeasuredCell[];
}

/** Reads what `--measure` has written. @throws Error if it isn't that */
export function readMeasured(json: string): Measured {
  const value: unknown = JSON.parse(json);
  if (!isMeasured(value)) throw new Error('not measured: run it with --measure');
  return value;
}

function isMeasured(value: unknown): value is Measured {
  return typeof value === 'object' && value !== null && 'machine' in value && 'cells' in value;
}
