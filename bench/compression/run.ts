import type { parseArgs } from 'node:util';
import { expectNone, runCommand } from '@gateway/command-line/run-command';
import { wholeNumber } from '@gateway/command-line/whole-number';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { medianFigure, medianRatio } from '../figures/medians.ts';
import type { Cell } from '../figures/sample.ts';
import { measureRounds } from '../measure-rounds.ts';
import { createProgress } from '../progress.ts';
import { count, ratio } from '../report/format.ts';
import { markdownTable } from '../report/markdown-table.ts';
import { GATEWAYS, pageLengths, startGateways } from './subjects.ts';

const HELP = `Measures what it would cost to compress responses in the gateway's process, and prints a table.

  npm run compression --prefix bench -- --rounds 5

Random pages of 1 to 100 animals over REST at 32 connections: of the gateway as it is, and of one that has
each page compressed by zlib's threads.

  --rounds N   how often each is measured, by default 3
  --seconds N  how long each time, by default 2

Exit codes: 0 done, 1 failed, 2 usage error.
`;

const OPTIONS = {
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '2' },
} as const satisfies NonNullable<Parameters<typeof parseArgs>[0]>['options'];

const cellOf = (server: string): Cell => ({
  server,
  surface: 'rest',
  work: 'mixed',
  connections: 32,
});
const CELLS = GATEWAYS.map(([name]) => cellOf(name));

await runCommand({
  name: 'compression',
  help: HELP,
  options: OPTIONS,
  read: ({ positionals, values }) => {
    expectNone(positionals);
    const rounds = wholeNumber('--rounds', values.rounds, { most: 9999 });
    const seconds = wholeNumber('--seconds', values.seconds, { most: 9999 });
    return ({ catchSignals }) => measureTable(rounds, seconds, catchSignals());
  },
});

async function measureTable(rounds: number, seconds: number, signal: AbortSignal): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await temporaryDirectory());
  const progress = createProgress();
  progress.tell('starting the gateways');
  const session = await startGateways(path, stack, signal);
  const lengths = await pageLengths(session);
  const measuring = { rounds, seconds, progress, signal };
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
