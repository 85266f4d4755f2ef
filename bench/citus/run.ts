import { expectNone, runCommand } from '@store-gateway/command-line/run-command';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { interruptible } from '../interruptible.ts';
import { measureRounds } from '../measure-rounds.ts';
import { pattern } from '../options.ts';
import { createProgress } from '../../scripts/progress.ts';
import { readRounds, ROUNDS_HELP, ROUNDS_OPTIONS } from '../rounds-command.ts';
import { groupsOf } from './cells.ts';
import { LARGE_MACHINE, RATE, sizesFor } from './sizing.ts';
import { startSubjects } from './subjects.ts';
import { figuresTable, sizingTable } from './tables.ts';

const HELP = `Measures a gateway on PostgreSQL 15, and on Citus with 1, 2 and 4 workers, all on this machine and configured as in
deploy/citus, and prints what each kind of request costs the gateway, the coordinator and the workers, and what
${RATE.toLocaleString('en')} requests a second, a fifth of them creates, would take on paper.

  npm run --silent citus --prefix bench
  npm run --silent citus --prefix bench -- --quick

It needs Debian's packages wrk and postgresql-15, and Citus for it, installed or in an archive that CITUS_ARCHIVE names.

  --quick       once, for a second each, with 2 workers only: in two minutes
  --only REGEX  names that fit, such as citus-2/rest/get/32
  ${ROUNDS_HELP.trimStart()}`;

const QUICK = { rounds: 1, seconds: 1 };
const QUICK_CELLS = /^(plain|citus-2)\//;

await runCommand({
  name: 'citus',
  help: HELP,
  options: {
    ...ROUNDS_OPTIONS,
    rounds: { type: 'string', default: '2' },
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
  read: ({ positionals, values }) => {
    expectNone(positionals);
    const { quick } = values;
    const only = values.only === undefined ? undefined : pattern(values.only);
    const rounds = quick ? QUICK : readRounds(values);
    const groups = groupsOf(only ?? (quick ? QUICK_CELLS : undefined));
    return ({ catchSignals }) =>
      interruptible(catchSignals(), async (signal) => {
        await using stack = new AsyncDisposableStack();
        const { path } = stack.use(await temporaryDirectory());
        const progress = createProgress('cells');
        progress.tell('starting PostgreSQL, Citus and the gateways');
        const names = new Set(groups.flat().map(({ server }) => server));
        const subjects = await startSubjects(names, path, stack, signal);
        const servers = { postgres: { processId: 0 }, subjects };
        const samples = await measureRounds(groups, servers, { ...rounds, progress, signal });
        return [
          figuresTable(groups, samples),
          `${RATE.toLocaleString('en')} requests a second, and what a coordinator of ${LARGE_MACHINE} cores can do:\n`,
          sizingTable(sizesFor(samples)),
        ].join('\n');
      });
  },
});
