import type { Gateway } from '../definition.ts';
import { resolve } from 'node:path';
import { readConfig, VARIABLE_NAMES } from '../config/config.ts';
import { backUpEmbeddedPostgres } from '@store-gateway/local';
import { setLogger } from '@store-gateway/ops';
import { CommandFailure, type Command, expectNone } from '@store-gateway/ops/command-line';
import { EXIT_CODES } from './on-database.ts';

const HELP = `Backs up the embedded database, whether or not the service is running.

  npm run --silent backup -- FOLDER

FOLDER must not exist yet. It becomes a data folder like DATA_DIR, with everything that was committed
before the backup finished. It contains the API keys' hashes: protect it like the store. To restore, stop
the service and replace DATA_DIR with a copy of FOLDER, or set DATA_DIR to FOLDER. With DATABASE_URL, use
the tools of that PostgreSQL instead.

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
        throw new CommandFailure(2, 'FOLDER is missing; see --help');
      }
      return async ({ env, catchSignals }) => {
        const { databaseUrl, dataDirectory } = readConfig(env, gateway.defaults);
        setLogger(undefined);
        if (databaseUrl !== undefined) {
          throw new CommandFailure(
            1,
            'DATABASE_URL is set, so the database is not the embedded one: back it up with its own tools, such as pg_dump',
          );
        }
        // Otherwise a signal would leave a PostgreSQL running that was started for this. The folder appears when it is complete.
        catchSignals();
        await backUpEmbeddedPostgres(dataDirectory, gateway.cluster, resolve(folder));
        return `backed up to ${folder}\n`;
      };
    },
  };
}
