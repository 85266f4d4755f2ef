import type { Workload } from '../load/calls.ts';
import type { Surface } from '../load/requests.ts';
import { measure, warmUp } from '../load/wrk.ts';
import type { Subject } from '../processes/session.ts';
import { cpuBetween, threadTimes } from '../processes/usage.ts';
import type { Running } from './versions.ts';

export interface QuickCell {
  readonly surface: Surface;
  readonly workload: Workload;
}

export interface Pair {
  readonly now: Running;
  readonly before: Running;
}

const CONNECTIONS = 32;
const WARM_UP = 1000;

/** Warms up both versions with a load before they are measured. */
export async function warmUpPair(cell: QuickCell, { now, before }: Pair, signal: AbortSignal) {
  await Promise.all(
    [now, before].map(async (running) => {
      await warmUp(await loadOf(cell, running, signal), WARM_UP);
      await running.store.removeCreated();
    }),
  );
}

/** CPU time of a request: of the gateway's process alone, and together with PostgreSQL's. */
export interface Costs {
  readonly gateway: number;
  readonly all: number;
}

/**
 * Returns the ratio of a request's CPU time in the current version to that in the base version. Both versions are under load at
 * the same time, on the same core, so that anything else that the machine does slows down both. Which version gets load first
 * alternates from round to round. Undefined after an error, such as a response that took too long.
 */
export async function ratioOf(
  cell: QuickCell,
  { now, before }: Pair,
  round: number,
  signal: AbortSignal,
): Promise<Costs | undefined> {
  const isFirst = round % 2 === 0;
  const costs = await Promise.all(
    (isFirst ? [now, before] : [before, now]).map((running) => costsOf(cell, running, signal)),
  );
  const [current, former] = isFirst ? costs : costs.toReversed();
  if (current === undefined || former === undefined) return undefined;
  return { gateway: current.gateway / former.gateway, all: current.all / former.all };
}

async function costsOf(
  cell: QuickCell,
  running: Running,
  signal: AbortSignal,
): Promise<Costs | undefined> {
  const { server, postgres, store } = running;
  await server.renew();
  const load = await loadOf(cell, running, signal);
  const timesOf = () =>
    Promise.all([threadTimes([server.processId]), threadTimes([postgres.processId])]);
  const begin = await timesOf();
  const { requests, errors } = await measure(load, 1);
  const end = await timesOf();
  await store.removeCreated();
  if (errors > 0) return undefined;
  const gateway = cpuBetween(begin[0], end[0]) / requests;
  return { gateway, all: gateway + cpuBetween(begin[1], end[1]) / requests };
}

async function loadOf({ surface, workload }: QuickCell, subject: Subject, signal: AbortSignal) {
  const { server, key } = subject;
  const file = await subject.requestFile(surface, workload);
  return { url: server.url, key, file, connections: CONNECTIONS, signal };
}
