import { medianFigure, medianRatio } from '../figures/medians.ts';
import type { Cell } from '../figures/sample.ts';
import { measureRounds, type Measuring } from '../measure-rounds.ts';
import { count, ratio } from '../report/format.ts';
import { markdownTable } from '../report/markdown-table.ts';
import { runRoundsCommand } from '../rounds-command.ts';
import { GATEWAYS, pageLengths, startGateways } from './subjects.ts';

const HELP = `Measures what it would cost to compress responses in the gateway's process, and prints a table.

  npm run compression --prefix bench -- --rounds 5

Random pages of 1 to 100 animals over REST at 32 connections: of the gateway as it is, and of one that has
each page compressed by zlib's threads.
`;

const cellOf = (server: string): Cell => ({
  server,
  surface: 'rest',
  work: 'mixed',
  connections: 32,
});
const CELLS = GATEWAYS.map(([name]) => cellOf(name));

await runRoundsCommand({ name: 'compression', help: HELP, measure: measureTable });

async function measureTable(
  measuring: Measuring,
  folder: string,
  stack: AsyncDisposableStack,
): Promise<string> {
  measuring.progress.tell('starting the gateways');
  const session = await startGateways(folder, stack, measuring.signal);
  const lengths = await pageLengths(session);
  const samples = await measureRounds([CELLS], session, measuring);
  const rows = CELLS.map((cell) => [
    cell.server,
    count(lengths.get(cell.server)),
    count(medianFigure(samples, cell, 'requestsPerSecond')),
    ratio(medianRatio(samples, cell, cellOf('none'), 'requestsPerSecond')),
    count(medianFigure(samples, cell, 'serverCpu')),
    ratio(medianRatio(samples, cell, cellOf('none'), 'serverCpu')),
  ]);
  const header = ['compression', 'bytes of 50 animals', 'req/s', '÷ none', 'CPU µs/req', '÷ none'];
  return markdownTable(header, rows, 'lrrrrr');
}
