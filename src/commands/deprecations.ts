import type { Database } from '../database/client.ts';
import { listDeprecatedCalls } from '../usage/deprecated-call-records.ts';
import type { Command } from '@gateway/command-line/command';
import { onDatabase } from './on-database.ts';
import { printable } from '@gateway/command-line/printable';
import { expectNone, runIfMain } from '@gateway/command-line/run-command';
import { table } from '@gateway/command-line/table';

const HELP = `Lists who still calls what is deprecated, the latest first: whom to tell before it goes.

  npm run --silent deprecations

A running service writes its calls within a second. The store is the one that npm start would use:
DATABASE_URL, or the embedded one in DATA_DIR. It may be running or not.

Exit codes: 0 done, 1 failed, 2 not understood.
`;

export const deprecations: Command = {
  name: 'deprecations',
  help: HELP,
  options: {},
  read: ({ positionals }) => {
    expectNone(positionals);
    return onDatabase(list, { role: 'deprecations', mayMakeStore: false });
  },
};

await runIfMain(import.meta, deprecations);

async function list(database: Database): Promise<string> {
  return table([
    ['FIELD', 'CALLS', 'LAST', 'KEY', 'NAME'],
    ...(await listDeprecatedCalls(database)).map(({ field, calls, lastAt, key }) => [
      field,
      String(calls),
      lastAt.toISOString(),
      String(key.id),
      printable(key.name),
    ]),
  ]);
}
