import type { Work } from '../load/calls.ts';
import type { Surface } from '../load/requests.ts';
import { measure, warmUp } from '../load/wrk.ts';
import type { Subject } from '../processes/session.ts';
import { cpuBetween, threadTimes } from '../processes/usage.ts';
import type { Running } from './versions.ts';

export interface QuickCell {
  readonly surface: Surface;
  readonly work: Work;
}

export interface Pair {
  readonly now: Running;
  readonly before: Running;
}

const CONNECTIONS = 32;
const WARM_UP = 1000;

/** Puts both versions under a load before they are measured. */
export async function warmUpPair(cell: QuickCell, { now, before }: Pair, signal: AbortSignal) {
  await Promise.all(
    [now, before].map(async (running) => {
      await warmUp(await loadOf(cell, running, signal), WARM_UP);
      await running.store.removeCreated();
    }),
  );
}

/**
 * The CPU time of a request now, of server and PostgreSQL, by that of a request before. Both are under load at the same time:
 * whatever else the machine does slows down both. Who is first to be asked changes from round to round. Undefined after an error,
 * such as an answer that took too long.
 */
export async function ratioOf(
  cell: QuickCell,
  { now, before }: Pair,
  round: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const isFirst = round % 2 === 0;
  const costs = await Promise.all(
    (isFirst ? [now, before] : [before, now]).map((running) => costOf(cell, running, signal)),
  );
  const [current, former] = isFirst ? costs : costs.toReversed();
  return current === undefined || former === undefined ? undefined : current / former;
}

async function costOf(
  cell: QuickCell,
  running: Running,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { server, postgres, store } = running;
  await server.renew();
  const load = await loadOf(cell, running, signal);
  const processes = [server.processId, postgres.processId];
  const begin = await threadTimes(processes);
  const { requests, errors } = await measure(load, 1);
  const end = await threadTimes(processes);
  await store.removeCreated();
  return errors > 0 ? undefined : cpuBetween(begin, end) / requests;
}

async function loadOf({ surface, work }: QuickCell, subject: Subject, signal: AbortSignal) {
  const { server, key } = subject;
  const file = await subject.requestFile(surface, work);
  return { url: server.url, key, file, connections: CONNECTIONS, signal };
}
