import { CommandFailure } from '@gateway/command-line/command-failure';
import type { Command } from '@gateway/command-line/command';
import { onDatabase } from './on-database.ts';
import { expectNone, runIfMain } from '@gateway/command-line/run-command';
import { seedAction } from './seed-action.ts';

const HELP = `Fills the store with plausible animals, to try it with.

  npm run --silent seed -- COUNT

COUNT is 1 to 10000000. The animals are added to those that are there, and are the same at every run; a
second adds about 100,000. Ctrl-C ends it early: what was added stays, and is told. The store is the one
that npm start would use: DATABASE_URL, or the embedded one in DATA_DIR. It may be running or not. This is
a tool for development, and not there after npm ci --omit=dev.

Exit codes: 0 done, 1 failed, 2 not understood.
`;

const MAXIMUM = 10_000_000;

export const seed: Command = {
  name: 'seed',
  help: HELP,
  options: {},
  read: ({ positionals: [count = '', ...rest] }) => {
    expectNone(rest);
    if (!/^[1-9]\d{0,7}$/.test(count) || Number(count) > MAXIMUM) {
      throw new CommandFailure(2, `say how many animals, 1 to ${MAXIMUM}; see --help`);
    }
    return onDatabase(seedAction(Number(count)), { role: 'seed', mayMakeStore: true });
  },
};

await runIfMain(import.meta, seed);
