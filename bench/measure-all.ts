import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { checkAnswers } from './check.ts';
import { CommandFailure } from '@gateway/command-line/command-failure';
import { competitors } from './competitors.ts';
import { cellName, type Cell, type Sample, type Start } from './figures/sample.ts';
import { wrkVersion } from './load/wrk.ts';
import { distinct, measureRounds } from './measure-rounds.ts';
import type { Options } from './options.ts';
import { type Group, groupsOf, OURS } from './plan.ts';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';
import { type Session, startSession } from './processes/session.ts';
import { createProgress } from './progress.ts';
import { type Machine, readMachine } from './report/machine.ts';
import { measureStarts } from './start/measure.ts';

export interface Results {
  /** Whether all was measured, rather than what --only named. */
  readonly whole: boolean;
  readonly machine: Machine;
  readonly rounds: number;
  readonly seconds: number;
  readonly samples: readonly Sample[];
  readonly starts: readonly Start[];
}

/** Measures what the options ask for. Whatever it starts has ended when this resolves or rejects. */
export async function measureAll(options: Options, signal: AbortSignal): Promise<Results> {
  const { rounds, seconds, only } = options;
  const wrk = await wrkVersion(signal);
  const fits = (name: string) => only?.test(name) ?? true;
  const groups = groupsOf(competitors)
    .map((group) => group.filter((cell) => fits(cellName(cell))))
    .filter(({ length }) => length > 0);
  if (groups.length === 0 && !fits('start')) {
    throw new CommandFailure(2, '--only fits no cell; see --help');
  }
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryDirectory()).path;
  const progress = createProgress();

  progress.tell('starting the servers');
  const starting = stack.use(new AsyncDisposableStack());
  const session = await startSession(serversOf(groups), folder, starting, signal);
  const machine = await readMachine(session.postgres.version, wrk);
  await checkAll(groups.flat(), session);
  const samples = await measureRounds(groups, session, { rounds, seconds, progress, signal });
  // So that nothing else runs while starts are measured.
  await starting.disposeAsync();

  if (!fits('start')) {
    return { whole: false, machine, rounds, seconds, samples, starts: [] };
  }
  progress.tell('measuring starts');
  const data = join(folder, 'start');
  await mkdir(data);
  const starts = await measureStarts(data, rounds, signal);
  return { whole: only === undefined, machine, rounds, seconds, samples, starts };
}

/** Compares the answers of all who are compared with the gateway's. */
async function checkAll(cells: readonly Cell[], { subjects }: Session): Promise<void> {
  const reference = subjects.get(OURS);
  for (const { server, surface } of distinct(cells, (cell) => `${cell.server} ${cell.surface}`)) {
    const subject = subjects.get(server);
    if (subject !== undefined && reference !== undefined && !isGrowth(server)) {
      await checkAnswers(surface, subject, reference);
    }
  }
}

/** Whoever is measured, and ours with them, whose answers are the right ones. */
function serversOf(groups: readonly Group[]): ReadonlySet<string> {
  const names = groups.flat().map(({ server }) => server);
  return new Set([...(names.some((name) => !isGrowth(name)) ? [OURS] : []), ...names]);
}

function isGrowth(server: string): boolean {
  return server.startsWith('growth-');
}
