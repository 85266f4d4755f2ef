import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BUDGET, isOfReport, reckon } from './budget.ts';
import { startCalibrator } from './calibration/calibrator.ts';
import { checkAnswers } from './check.ts';
import { CommandFailure } from '@store-gateway/ops/command-line';
import { competitors } from './competitors.ts';
import { cellName, type Cell, type Measured } from './figures/sample.ts';
import { medianSpeed, type Speed } from './figures/speed.ts';
import { outliers } from './figures/group-run.ts';
import { wrkVersion } from './load/wrk.ts';
import { measureCalibrated } from './measure-calibrated.ts';
import { distinct } from './measure-rounds.ts';
import type { Options } from './options.ts';
import { type Group, groupsOf, OURS } from './plan.ts';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';
import { type Session, startSession } from './processes/session.ts';
import { memoryOf } from './processes/usage.ts';
import { createProgress } from '../scripts/progress.ts';
import { type Machine, readMachine } from './report/machine.ts';
import { measureStarts } from './start/measure.ts';

export interface Results extends Measured {
  /** Whether everything was measured, not only the cells that --only matches. */
  readonly whole: boolean;
  readonly machine: Machine;
  readonly rounds: number;
  readonly seconds: number;
  readonly speed: Speed;
  /** The names of the cells that were measured at an unusual machine speed in some round. */
  readonly off: readonly string[];
}

/** Limits the duration of runs whose estimate exceeds the budget: they may take this many times the estimate. */
const SLACK = 1.2;

/** Measures what the options select. Everything that it starts has stopped when the promise settles. */
export async function measureAll(options: Options, signal: AbortSignal): Promise<Results> {
  const { rounds, seconds, only } = options;
  const wrk = await wrkVersion(signal);
  const fits = (name: string) => only?.test(name) ?? true;
  const groups = groupsOf(competitors)
    .map((group) =>
      group.filter((cell) => (only === undefined ? isOfReport(cell) : only.test(cellName(cell)))),
    )
    .filter(({ length }) => length > 0);
  if (groups.length === 0 && !fits('start')) {
    throw new CommandFailure(2, '--only matches no cell; see --help');
  }
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryDirectory()).path;
  const progress = createProgress('cells');
  const { total, after } = reckon(groups, rounds, seconds);
  progress.tell(planOf(groups, rounds, total));
  const deadline = performance.now() + (Math.max(BUDGET * 60, total * SLACK) - after) * 1000;

  progress.tell('starting the servers');
  const starting = stack.use(new AsyncDisposableStack());
  const session = await startSession(serversOf(groups), folder, starting, signal);
  const machine = await readMachine(session.postgres.version, wrk);
  const idle = await idleMemory(session);
  await checkAll(groups.flat(), session);
  const calibrator = starting.use(await startCalibrator(folder, signal));
  const runs = await measureCalibrated(groups, session, calibrator, deadline, {
    rounds,
    seconds,
    progress,
    signal,
  });
  const samples = runs.flatMap((run) => run.samples);
  const speed = medianSpeed(runs.flatMap(({ speeds }) => speeds));
  const off = outliers(runs).flatMap((run) => run.samples.map(({ cell }) => cellName(cell)));
  const measured = new Set(runs.map(({ round }) => round)).size;
  // Nothing else runs while starts are measured.
  await starting.disposeAsync();

  const results = { machine, rounds: measured, seconds, speed, samples, off, idle };
  if (!fits('start')) return { ...results, whole: false, starts: [] };
  progress.tell('measuring starts');
  const data = join(folder, 'start');
  await mkdir(data);
  const starts = await measureStarts(data, rounds, signal);
  return { ...results, whole: only === undefined, starts };
}

async function idleMemory({ subjects }: Session): Promise<Measured['idle']> {
  const entries = [...subjects].map(async ([name, { server }]): Promise<[string, number]> => {
    const { rss } = await memoryOf(server.processId);
    return [name, rss];
  });
  return Object.fromEntries(await Promise.all(entries));
}

function planOf(groups: readonly Group[], rounds: number, total: number): string {
  const cells = groups.flat().length;
  return `${cells} cells, ${rounds} rounds: about ${Math.ceil(total / 60)} minutes, or up to ${BUDGET} if the machine's speed varies`;
}

/** Checks that all compared servers respond like the gateway. */
export async function checkAll(cells: readonly Cell[], { subjects }: Session): Promise<void> {
  const reference = subjects.get(OURS);
  for (const { server, surface } of distinct(cells, (cell) => `${cell.server} ${cell.surface}`)) {
    const subject = subjects.get(server);
    if (subject !== undefined && reference !== undefined && !isGrowth(server)) {
      const own = cells.filter((cell) => cell.server === server && cell.surface === surface);
      const workloads = distinct(own, ({ workload }) => workload).map(({ workload }) => workload);
      await checkAnswers(surface, subject, reference, workloads);
    }
  }
}

/** All servers that are measured, and the gateway, whose responses are the reference. */
function serversOf(groups: readonly Group[]): ReadonlySet<string> {
  const names = groups.flat().map(({ server }) => server);
  return new Set([...(names.some((name) => !isGrowth(name)) ? [OURS] : []), ...names]);
}

function isGrowth(server: string): boolean {
  return server.startsWith('growth-');
}
