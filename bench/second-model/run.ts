import { medianFigure, medianRatio } from '../figures/medians.ts';
import type { Cell, Sample } from '../figures/sample.ts';
import { measureRounds } from '../measure-rounds.ts';
import type { Group } from '../plan.ts';
import { count, ratio } from '../report/format.ts';
import { markdownTable } from '../report/markdown-table.ts';
import { runRoundsCommand } from '../rounds-command.ts';
import { startBothModels } from './subjects.ts';

const HELP = `Compares a second model, Toy, with Pet in one gateway, and prints a table.

  npm run second-model --prefix bench -- --rounds 5

In a copy of the repository, Toy is written like Pet, with as many rows. It should reach 80 % of Pet's requests per
second, because the packages must make every model as fast as Pet.
`;

const TARGET = 0.8;

const GROUPS: readonly Group[] = (['rest', 'graphql'] as const).flatMap((surface) =>
  (['hot', 'mixed', 'get', 'create'] as const).map((workload) =>
    ['pet', 'toy'].map((server) => ({ server, surface, workload, connections: 32 })),
  ),
);

await runRoundsCommand({
  name: 'second-model',
  help: HELP,
  measure: async (measuring, folder, stack) => {
    measuring.progress.tell('starting a gateway with both models');
    const session = await startBothModels(folder, stack, measuring.signal);
    return tableOf(await measureRounds(GROUPS, session, measuring));
  },
});

function tableOf(samples: readonly Sample[]): string {
  const rows = GROUPS.flatMap(([pet, toy]) => {
    if (pet === undefined || toy === undefined) return [];
    const rate = (cell: Cell) => count(medianFigure(samples, cell, 'requestsPerSecond'));
    const measured = medianRatio(samples, toy, pet, 'requestsPerSecond');
    const met = measured !== undefined && measured >= TARGET ? 'met' : 'missed';
    return [[pet.surface, pet.workload, rate(pet), rate(toy), ratio(measured), met]];
  });
  const header = ['surface', 'workload', 'Pet req/s', 'Toy req/s', 'Toy ÷ Pet', `≥ ${TARGET}`];
  return markdownTable(header, rows, 'llrrrl');
}
