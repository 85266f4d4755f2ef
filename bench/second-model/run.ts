import type { parseArgs } from 'node:util';
import { expectNone, runCommand } from '@gateway/command-line/run-command';
import { wholeNumber } from '@gateway/command-line/whole-number';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { medianFigure, medianRatio } from '../figures/medians.ts';
import type { Cell, Sample } from '../figures/sample.ts';
import { measureRounds } from '../measure-rounds.ts';
import type { Group } from '../plan.ts';
import { createProgress } from '../progress.ts';
import { count, ratio } from '../report/format.ts';
import { markdownTable } from '../report/markdown-table.ts';
import { startBothModels } from './subjects.ts';

const HELP = `Measures a second model, Toy, against Pet in one gateway, and prints a table.

  npm run second-model --prefix bench -- --rounds 5

In a copy of the repository, Toy is written as Pet is, with as many rows. It is to reach 80 % of Pet's requests per
second: what makes Pet fast is in the packages, for every model.

  --rounds N   how often each is measured, by default 3
  --seconds N  how long each time, by default 2

Exit codes: 0 done, 1 failed, 2 usage error.
`;

const OPTIONS = {
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '2' },
} as const satisfies NonNullable<Parameters<typeof parseArgs>[0]>['options'];

const TARGET = 0.8;

const GROUPS: readonly Group[] = (['rest', 'graphql'] as const).flatMap((surface) =>
  (['hot', 'mixed', 'get', 'create'] as const).map((work) =>
    ['pet', 'toy'].map((server) => ({ server, surface, work, connections: 32 })),
  ),
);

await runCommand({
  name: 'second-model',
  help: HELP,
  options: OPTIONS,
  read: ({ positionals, values }) => {
    expectNone(positionals);
    const rounds = wholeNumber('--rounds', values.rounds, { most: 9999 });
    const seconds = wholeNumber('--seconds', values.seconds, { most: 9999 });
    return async ({ catchSignals }) => tableOf(await samplesOf(rounds, seconds, catchSignals()));
  },
});

async function samplesOf(
  rounds: number,
  seconds: number,
  signal: AbortSignal,
): Promise<readonly Sample[]> {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await temporaryDirectory());
  const progress = createProgress();
  progress.tell('starting a gateway with both models');
  const session = await startBothModels(path, stack, signal);
  return await measureRounds(GROUPS, session, { rounds, seconds, progress, signal });
}

function tableOf(samples: readonly Sample[]): string {
  const rows = GROUPS.flatMap(([pet, toy]) => {
    if (pet === undefined || toy === undefined) return [];
    const rate = (cell: Cell) => count(medianFigure(samples, cell, 'requestsPerSecond'));
    const measured = medianRatio(samples, toy, pet, 'requestsPerSecond');
    const met = measured !== undefined && measured >= TARGET ? 'met' : 'missed';
    return [[pet.surface, pet.work, rate(pet), rate(toy), ratio(measured), met]];
  });
  const header = ['surface', 'work', 'Pet req/s', 'Toy req/s', 'Toy ÷ Pet', `≥ ${TARGET}`];
  return markdownTable(header, rows, 'llrrrl');
}
