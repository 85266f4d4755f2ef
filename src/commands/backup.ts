import { resolve } from 'node:path';
import { readConfig } from '../config.ts';
import { backUpEmbeddedPostgres } from '@gateway/embedded-postgres/backup';
import { log } from '@gateway/log/log';
import { CommandFailure } from '@gateway/command-line/command-failure';
import type { Command, CommandIo } from '@gateway/command-line/command';
import { expectNone, runIfMain } from '@gateway/command-line/run-command';

const HELP = `Backs up the embedded database, while the service runs or not.

  npm run --silent backup -- FOLDER

FOLDER must not exist: it becomes a data folder like the one in DATA_DIR, with all that was committed when the
backup was done, API keys included, and is as secret as that one. To restore, stop the service and put a copy
of FOLDER in the place of DATA_DIR, or set DATA_DIR to it. With DATABASE_URL, use that PostgreSQL's own tools.

Exit codes: 0 done, 1 failed, 2 not understood.
`;

export const backup: Command = {
  name: 'backup',
  help: HELP,
  options: {},
  read: ({ positionals: [folder, ...rest] }) => {
    expectNone(rest);
    if (!folder) {
      throw new CommandFailure(2, 'say into which folder; see --help');
    }
    return (io) => backUp(folder, io);
  },
};

await runIfMain(import.meta, backup);

async function backUp(folder: string, { env, catchSignals }: CommandIo): Promise<string> {
  const { databaseUrl, dataDirectory } = readConfig(env);
  log.level = 'silent';
  if (databaseUrl !== undefined) {
    throw new CommandFailure(
      1,
      'DATABASE_URL names a PostgreSQL that is not ours: back it up by its own tools, such as pg_dump',
    );
  }
  // A signal would leave a PostgreSQL behind that was started for this. The folder appears when all is in it.
  catchSignals();
  await backUpEmbeddedPostgres(dataDirectory, resolve(folder));
  return `backed up into ${folder}\n`;
}
