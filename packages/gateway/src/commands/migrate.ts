import type { Gateway } from '../definition.ts';
import { VARIABLE_NAMES } from '../config/config.ts';
import { type Command, expectNone } from '@store-gateway/ops/command-line';
import { EXIT_CODES, prepare } from './on-database.ts';

const HELP = `Applies all pending migrations to the database, and prints their names.

  npm run --silent migrate
  npm run --silent migrate -- --retry 20260101000000_init

npm start does this itself, unless you set MIGRATE=off so that its role needs only to read and write rows. In
that case, run this first, with a DATABASE_URL whose role owns the tables. Behind a pooler, set
DATABASE_DIRECT_URL. If another process is migrating, this waits up to a minute. Without DATABASE_URL, it
migrates the embedded database in DATA_DIR. The service may be running.

  --retry NAME   applies a failed migration again, after you have repaired its file or the rows in its way;
                 if its file is gone, forgets the failed attempt

${EXIT_CODES}
`;

const OPTIONS = { retry: { type: 'string' } } as const;

export function migrateCommand(gateway: Gateway): Command<typeof OPTIONS> {
  return {
    name: 'migrate',
    help: HELP,
    options: OPTIONS,
    variables: VARIABLE_NAMES,
    read: ({ positionals, values: { retry } }) => {
      expectNone(positionals);
      return async (io) => {
        // If DATABASE_URL is missing, perhaps by mistake, no new store is created.
        const { config, waiting } = await prepare(gateway, io, false);
        const { migrateDatabase } = await import('../database/start.ts');
        const applied = await migrateDatabase(gateway, config, { ...waiting, retry });
        return applied.length === 0
          ? 'the database already has all migrations\n'
          : applied.map((name) => `applied ${name}\n`).join('');
      };
    },
  };
}
