import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNone, runCommand } from '@store-gateway/command-line/run-command';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { interruptible } from '../interruptible.ts';
import { createProgress } from '../progress.ts';
import type { Measuring } from '../measure-rounds.ts';
import { ROOT } from '../root.ts';
import { readRounds, ROUNDS_HELP, ROUNDS_OPTIONS } from '../rounds-command.ts';
import { measureCells } from './measure.ts';
import { readMeasured } from './measured.ts';
import { plot } from './plot.ts';
import { costsOfWorks, predictCells } from './predict.ts';
import { scaleUp } from './scaling.ts';
import { sizeFor } from './sizing.ts';
import { costsTable, predictionsTable, scalingTable, sizingTable } from './tables.ts';

const HELP = `Simulates the gateway's event loops, its batches and PostgreSQL, and prints what that predicts: for the cells
that were measured, for machines of 16 and 64 cores, and for 1,000,000 requests a second. It writes
docs/results/model.svg.

  npm run --silent model --prefix bench
  npm run --silent model --prefix bench -- --measure

  --measure    measures the cells on this machine first, into bench/model/measured.json; needs wrk
  ${ROUNDS_HELP.trimStart()}`;

const MEASURED = join(import.meta.dirname, 'measured.json');
const PICTURE = join(ROOT, 'docs/results/model.svg');
const RATES = [1000, 100_000, 1_000_000];

await runCommand({
  name: 'model',
  help: HELP,
  options: { ...ROUNDS_OPTIONS, measure: { type: 'boolean', default: false } },
  read: ({ positionals, values }) => {
    expectNone(positionals);
    const options = readRounds(values);
    return ({ catchSignals }) =>
      interruptible(catchSignals(), async (signal) => {
        if (values.measure) await measure(options, signal);
        return report();
      });
  },
});

async function measure(
  options: Pick<Measuring, 'rounds' | 'seconds'>,
  signal: AbortSignal,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await temporaryDirectory());
  const measuring = { ...options, progress: createProgress(), signal };
  const measured = await measureCells(measuring, path, stack);
  await writeFile(MEASURED, `${JSON.stringify(measured, undefined, 2)}\n`);
}

async function report(): Promise<string> {
  const measured = readMeasured(await readFile(MEASURED, 'utf8'));
  const costs = costsOfWorks(measured);
  const predictions = predictCells(measured, costs);
  const scaled = scaleUp(costs);
  await writeFile(PICTURE, plot(predictions, scaled));
  const { date, commit, cores, processor } = measured.machine;
  return [
    `Measured on ${date}, commit ${commit}, ${cores} cores (${processor}).\n`,
    costsTable(costs),
    predictionsTable(predictions),
    scalingTable(scaled),
    sizingTable(RATES.map((rate) => sizeFor(rate, costs))),
  ].join('\n');
}
