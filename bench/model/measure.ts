import { measureCell } from '../measure-cell.ts';
import { type Measuring, warmUpGroups } from '../measure-rounds.ts';
import { startGatewayStore } from '../processes/gateway-store.ts';
import type { Session, Subject } from '../processes/session.ts';
import { cpuBetween, cpuWithoutChildren, threadTimes } from '../processes/usage.ts';
import { readMachine } from '../report/machine.ts';
import { wrkVersion } from '../load/wrk.ts';
import { median } from '../figures/medians.ts';
import type { Cell, Figures, Sample } from '../figures/sample.ts';
import { CELLS, GATEWAYS } from './cells.ts';
import type { Measured, MeasuredCell } from './measured.ts';

/** So often is each work warmed up: until code is compiled, it is several times as slow. */
const WARM_UPS = 4;

interface Threads {
  /** Of the first process, in parts of 1. */
  readonly mainThread: number;
  readonly supervisorCpu: number;
}

/** Measures all cells on this machine, with one process and with two workers. */
export async function measureCells(
  { rounds, seconds, progress, signal }: Measuring,
  folder: string,
  stack: AsyncDisposableStack,
): Promise<Measured> {
  progress.tell('starting the gateways');
  const { postgres, startGateway } = await startGatewayStore(folder, stack, signal);
  const subjects = new Map<string, Subject>();
  for (const [name, workers] of GATEWAYS) {
    subjects.set(name, await startGateway({ name, env: { WORKERS: String(workers) } }));
  }
  const session = { postgres, subjects };
  for (let time = 0; time < WARM_UPS; time += 1) {
    await warmUpGroups([CELLS], session, { progress, signal });
  }
  progress.expect(CELLS.length * rounds);
  const samples: (Sample & Threads)[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const cell of CELLS) {
      const sample = { cell, round, ...(await measureThreads(cell, session, seconds, signal)) };
      samples.push(sample);
      progress.done(sample);
    }
  }
  return {
    machine: await readMachine(postgres.version, await wrkVersion(signal)),
    cells: CELLS.map((cell) => medians(cell, samples)),
  };
}

async function measureThreads(
  cell: Cell,
  session: Session,
  seconds: number,
  signal: AbortSignal,
): Promise<Omit<Sample & Threads, 'cell' | 'round'>> {
  const processId = session.subjects.get(cell.server)?.server.processId ?? 0;
  const begin = await threadTimes([processId]);
  const supervisorBegin = await cpuWithoutChildren(processId);
  const figures = await measureCell(cell, session, seconds, signal);
  const end = await threadTimes([processId]);
  const supervisor = (await cpuWithoutChildren(processId)) - supervisorBegin;
  // With its warm-up, of which the requests aren't counted.
  const all = cpuBetween(begin, end) / 1e9;
  const thread = String(processId);
  const main = ((end.get(thread) ?? 0) - (begin.get(thread) ?? 0)) / 1e9;
  return {
    ...figures,
    mainThread: main / all,
    supervisorCpu: figures.serverCpu * (supervisor / all),
  };
}

function medians(cell: Cell, samples: readonly (Sample & Threads)[]): MeasuredCell {
  const of = samples.filter((sample) => sample.cell === cell);
  const figure = (name: keyof Figures | keyof Threads) =>
    median(of.map((sample) => sample[name])) ?? 0;
  const workers = GATEWAYS.find(([name]) => name === cell.server)?.[1] ?? 1;
  return {
    work: cell.work,
    connections: cell.connections,
    workers,
    requestsPerSecond: rounded(figure('requestsPerSecond')),
    gatewayCpu: rounded(figure('serverCpu')),
    databaseCpu: rounded(figure('databaseCpu')),
    loadCpu: rounded(figure('loadCpu')),
    mainThread: workers === 1 ? rounded(figure('mainThread')) : 1,
    supervisorCpu: workers === 1 ? 0 : rounded(figure('supervisorCpu')),
  };
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
