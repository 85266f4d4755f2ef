import type { Command, CommandIo } from '@gateway/command-line/command';
import { prepare } from './on-database.ts';
import { expectNone, runIfMain } from '@gateway/command-line/run-command';

const HELP = `Applies the migrations that the database lacks, and tells which they were.

  npm run --silent migrate

npm start does this itself, unless MIGRATE=off. Then its role may be one that only reads and writes rows: run this
before it, with a DATABASE_URL whose role owns the tables. Where another process migrates, it waits for up to a
minute. Without DATABASE_URL it is the embedded database in DATA_DIR. The service may be running or not.

Exit codes: 0 done, 1 failed, 2 not understood.
`;

export const migrate: Command = {
  name: 'migrate',
  help: HELP,
  options: {},
  read: ({ positionals }) => {
    expectNone(positionals);
    return applyAll;
  },
};

await runIfMain(import.meta, migrate);

async function applyAll(io: CommandIo): Promise<string> {
  // Whoever forgets DATABASE_URL is to hear of it, and not to get a new store.
  const { config, waiting } = await prepare(io, false);
  const { migrateDatabase } = await import('../database/start.ts');
  const applied = await migrateDatabase(config, waiting);
  return applied.length === 0
    ? 'the database has all migrations already\n'
    : applied.map((name) => `applied ${name}\n`).join('');
}
