import { resolve } from 'node:path';
import type { Gateway } from '../gateway.ts';
import { readConfig, VARIABLE_NAMES } from '../config/config.ts';
import { backUpEmbeddedPostgres } from '@gateway/embedded-postgres/backup';
import { log } from '@gateway/log/log';
import { CommandFailure } from '@gateway/command-line/command-failure';
import type { Command } from '@gateway/command-line/command';
import { expectNone } from '@gateway/command-line/run-command';
import { EXIT_CODES } from './on-database.ts';

const HELP = `Backs up the embedded database, whether the service runs or not.

  npm run --silent backup -- FOLDER

FOLDER must not exist: it becomes a data folder like DATA_DIR, with everything committed before the backup
was done, API keys included, and is as secret. To restore, stop the service and put a copy of FOLDER in
the place of DATA_DIR, or set DATA_DIR to it. With DATABASE_URL, use the tools of that PostgreSQL.

${EXIT_CODES}
`;

export function backupCommand(gateway: Gateway): Command {
  return {
    name: 'backup',
    help: HELP,
    options: {},
    variables: VARIABLE_NAMES,
    read: ({ positionals: [folder, ...rest] }) => {
      expectNone(rest);
      if (!folder) {
        throw new CommandFailure(2, 'say into which folder; see --help');
      }
      return async ({ env, catchSignals }) => {
        const { databaseUrl, dataDirectory } = readConfig(env, gateway.defaults);
        log.level = 'silent';
        if (databaseUrl !== undefined) {
          throw new CommandFailure(
            1,
            'DATABASE_URL names a PostgreSQL that is not ours: back it up by its own tools, such as pg_dump',
          );
        }
        // A signal would leave a PostgreSQL behind that was started for this. The folder appears when all is in it.
        catchSignals();
        await backUpEmbeddedPostgres(dataDirectory, gateway.cluster, resolve(folder));
        return `backed up into ${folder}\n`;
      };
    },
  };
}
