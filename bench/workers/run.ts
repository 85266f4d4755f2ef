import { medianFigure, medianRatio } from '../figures/medians.ts';
import type { Cell } from '../figures/sample.ts';
import type { Work } from '../load/calls.ts';
import { measureRounds, type Measuring } from '../measure-rounds.ts';
import { count, ratio } from '../report/format.ts';
import { markdownTable } from '../report/markdown-table.ts';
import { runRoundsCommand } from '../rounds-command.ts';
import { GATEWAYS, spreadOf, startGateways } from './subjects.ts';

const HELP = `Measures two worker processes against a single process, and prints a table.

  taskset -c 0,1 npm run workers --prefix bench -- --rounds 7

Over REST, with PostgreSQL and the load on the same cores. At one connection only one of the two workers is busy: its CPU
per request is that of a worker. Then it opens 1,000 connections, and tells how many each worker has got.
`;

const CONNECTIONS = 1000;

const LOADS: readonly (readonly [Work, connections: number])[] = [
  ['get', 1],
  ['mixed', 1],
  ['hot', 32],
  ['get', 32],
  ['mixed', 32],
  ['create', 32],
];

await runRoundsCommand({ name: 'workers', help: HELP, measure: measureTable });

async function measureTable(
  measuring: Measuring,
  folder: string,
  stack: AsyncDisposableStack,
): Promise<string> {
  measuring.progress.tell('starting the gateways');
  const session = await startGateways(folder, stack, measuring.signal);
  const groups = LOADS.map(([work, connections]) =>
    GATEWAYS.map(([server]): Cell => ({ server, surface: 'rest', work, connections })),
  );
  const samples = await measureRounds(groups, session, measuring);
  const rows = groups.flatMap((cells) =>
    cells.map((cell) => {
      const [single = cell] = cells;
      const figures = (['requestsPerSecond', 'serverCpu', 'databaseCpu'] as const).flatMap(
        (figure) => [
          count(medianFigure(samples, cell, figure)),
          ratio(medianRatio(samples, cell, single, figure)),
        ],
      );
      return [cell.work, String(cell.connections), cell.server, ...figures];
    }),
  );
  const header = ['work', 'connections', '', 'req/s', '÷ 1'];
  const cpu = ['gateway µs/req', '÷ 1', 'PostgreSQL µs/req', '÷ 1'];
  const table = markdownTable([...header, ...cpu], rows, 'lrlrrrrrr');
  const spread = await spreadOf(session, folder, CONNECTIONS);
  return `${table}\n${CONNECTIONS} connections: ${spread.join(' and ')}\n`;
}
