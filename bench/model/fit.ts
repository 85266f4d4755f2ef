import type { Work } from '../load/calls.ts';
import type { Costs } from './costs.ts';
import type { MeasuredCell } from './measured.ts';
import { onOneMachine } from './systems.ts';
import { type Outcome, simulate } from './simulate.ts';

/** As in packages/coalescing/src/batcher.ts. */
const MAX_BATCH = 32;

/** What the costs come from. */
export interface Fitted {
  /** A lone request. */
  readonly lone: MeasuredCell;
  /** A process that is used well. */
  readonly busy: MeasuredCell;
  /** So many requests that they wait for each other. */
  readonly crowd: MeasuredCell;
}

/** A lone request shares nothing. */
const LONE: Shares = { batch: 1, loadWakeUps: 1, open: 1 };

type Shares = Pick<Outcome, 'batch' | 'loadWakeUps' | 'open'>;

/** Costs and the size of batches depend on each other: so often are both found anew. */
const ROUNDS = 8;

/** So many are simulated for that. */
const REQUESTS = 5000;

/** Finds costs with which requests take the CPU time that was measured in three cells. */
export function fitCosts(work: Work, fitted: Fitted, cores: number): Costs {
  let busy: Shares = { ...LONE, batch: 10, open: 20 };
  let crowd: Shares = { ...LONE, batch: MAX_BATCH, open: 200 };
  let costs = costsOf(work, fitted, busy, crowd);
  for (let round = 0; round < ROUNDS; round += 1) {
    const outcome = ({ connections }: MeasuredCell) =>
      simulate(onOneMachine(costs, { cores, workers: 1, supervisor: 0, connections }), REQUESTS);
    busy = between(busy, outcome(fitted.busy));
    crowd = between(crowd, outcome(fitted.crowd));
    costs = costsOf(work, fitted, busy, crowd);
  }
  return costs;
}

function costsOf(work: Work, fitted: Fitted, busy: Shares, crowd: Shares): Costs {
  const { lone } = fitted;
  // Of equal requests, one is executed for all.
  const coalesces = work === 'hot';
  const [request, statement] = split(lone.gatewayCpu, fitted.busy.gatewayCpu, 1 / busy.batch);
  const [row, execution] = coalesces
    ? [0, lone.databaseCpu]
    : split(lone.databaseCpu, fitted.busy.databaseCpu, 1 / busy.batch);
  const [load, loadWakeUp] = split(lone.loadCpu, fitted.busy.loadCpu, busy.loadWakeUps);
  const more = fitted.crowd.gatewayCpu - request - statement / crowd.batch;
  const loneWork = lone.gatewayCpu * lone.mainThread + lone.databaseCpu + lone.loadCpu;
  return {
    request,
    statement,
    crowd: Math.max(0, more / crowd.open),
    mainThread: fitted.busy.mainThread,
    execution,
    row,
    wait: Math.max(0, 1e6 / lone.requestsPerSecond - loneWork),
    load,
    loadWakeUp,
    maxBatch: coalesces ? Infinity : MAX_BATCH,
    maxInFlight: 1,
  };
}

/**
 * What each request takes, and what those take that share it: `lone` is both, `busy` the first and a part of the second.
 */
function split(lone: number, busy: number, part: number): readonly [each: number, shared: number] {
  const shared = Math.min(lone, Math.max(0, (lone - busy) / Math.max(0.01, 1 - part)));
  return [lone - shared, shared];
}

function between(a: Shares, b: Shares): Shares {
  const middle = (name: keyof Shares) => (a[name] + b[name]) / 2;
  return {
    batch: middle('batch'),
    loadWakeUps: middle('loadWakeUps'),
    open: middle('open'),
  };
}
