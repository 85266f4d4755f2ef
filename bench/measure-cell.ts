import { setTimeout } from 'node:timers/promises';
import type { Cell, Figures } from './figures/sample.ts';
import { addsRows, needsSpare, SPARE } from './load/calls.ts';
import { type Load, measure, warmUp } from './load/wrk.ts';
import type { Servers, Subject } from './processes/session.ts';
import { cpuOfEach, memoryOf } from './processes/usage.ts';

/** Milliseconds for a server to finish the requests that were in flight when wrk ended. */
const SETTLING = 100;

/** Milliseconds of load before each measurement, during which pools fill and the server's earlier work ends. */
const WARM_UP = 550;

/** Milliseconds of load before the first round, during which code is compiled. */
const FIRST_WARM_UP = 1000;

/** Warms up a server with the load of a cell before anything is measured. */
export async function warmUpCell(cell: Cell, session: Servers, signal: AbortSignal): Promise<void> {
  const subject = subjectOf(cell, session);
  await subject.server.renew();
  await addSpare(cell, subject);
  await warmUp(await loadOf(cell, subject, signal), FIRST_WARM_UP);
  await removeCreated(cell, subject);
}

/** Measures a cell once for a number of seconds, and leaves the table as it was. */
export async function measureCell(
  cell: Cell,
  session: Servers,
  seconds: number,
  signal: AbortSignal,
): Promise<Figures> {
  const subject = subjectOf(cell, session);
  await subject.server.renew();
  const load = await loadOf(cell, subject, signal);
  const databases = subject.databaseProcesses ?? [session.postgres.processId];
  const processes = [subject.server.processId, ...databases];

  await addSpare(cell, subject);
  const before = await warmUp(load, WARM_UP);
  const removedBefore = await addSpare(cell, subject);
  const cpuBefore = await cpuOfEach(processes);
  const { requests, errors, ...result } = await measure(load, seconds);
  const cpuAfter = await cpuOfEach(processes);
  const memory = await memoryOf(subject.server.processId);
  const behind = await removeCreated(cell, subject);

  const [serverCpu = 0, ...databaseCpu] = cpuAfter.map(
    (after, index) => ((after - (cpuBefore[index] ?? 0)) * 1e6) / Math.max(1, requests),
  );
  const allErrors = before.errors + errors;
  const isWrite = (addsRows(cell.workload) || cell.workload === 'remove') && !subject.constant;
  const acknowledged = isWrite ? before.requests + requests - allErrors : 0;
  const written = cell.workload === 'remove' ? removedBefore + SPARE - behind : behind;
  return {
    requestsPerSecond: result.requestsPerSecond,
    p50: result.p50,
    p99: result.p99,
    errors: allErrors,
    lost: Math.max(0, acknowledged - written),
    serverCpu,
    databaseCpu: databaseCpu.reduce((sum, cpu) => sum + cpu, 0),
    ...memory,
  };
}

function subjectOf({ server }: Cell, { subjects }: Servers): Subject {
  const subject = subjects.get(server);
  if (subject === undefined) throw new Error(`${server} was not started`);
  return subject;
}

async function loadOf(cell: Cell, subject: Subject, signal: AbortSignal): Promise<Load> {
  const { server, key } = subject;
  const file = await subject.requestFile(cell.surface, cell.workload);
  const isKeyed = cell.workload === 'keyed-create';
  return { url: server.url, key, file, connections: cell.connections, isKeyed, signal };
}

/** Adds the spare animals that a workload needs. Resolves to the number that was missing. */
async function addSpare({ workload }: Cell, { store }: Subject): Promise<number> {
  if (!needsSpare(workload)) return 0;
  await setTimeout(SETTLING);
  return store.addSpare();
}

async function removeCreated({ workload }: Cell, { store }: Subject): Promise<number> {
  if (!addsRows(workload) && workload !== 'mix' && !needsSpare(workload)) return 0;
  await setTimeout(SETTLING);
  return store.removeCreated();
}
