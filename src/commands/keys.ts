import { CommandFailure } from '@gateway/command-line/command-failure';
import type { Command, Given } from '@gateway/command-line/command';
import { createAction, listAction, revokeAction, rotateAction } from './key-actions.ts';
import { onDatabase, type Action } from './on-database.ts';
import { expectNone, runIfMain } from '@gateway/command-line/run-command';

const HELP = `Manages the API keys of the store.

  npm run --silent keys -- create NAME [--expires DURATION]   make a key and print it, this once
  npm run --silent keys -- list                               list all keys, without the keys themselves
  npm run --silent keys -- revoke ID                          refuse a key from now on
  npm run --silent keys -- rotate ID [--grace DURATION]       replace a key and print the new one

DURATION is a number and a unit: 45s, 30m, 12h or 90d. A key without --expires never expires. A rotated
key is revoked, or with --grace works until that time is over; the new one lives as long as it did. A key
that is no longer valid is refused everywhere within 5 seconds. The store is the one that npm start would
use: DATABASE_URL, or the embedded one in DATA_DIR. It may be running or not.

Exit codes: 0 done, 1 failed, 2 not understood.
`;

const OPTIONS = { expires: { type: 'string' }, grace: { type: 'string' } } as const;

export const keys: Command<typeof OPTIONS> = {
  name: 'keys',
  help: HELP,
  options: OPTIONS,
  read: (given) => {
    const action = readAction(given);
    const mayMakeStore = given.positionals[0] === 'create';
    return onDatabase(action, { role: 'keys', mayMakeStore });
  },
};

await runIfMain(import.meta, keys);

function readAction({ values: { expires, grace }, positionals }: Given<typeof OPTIONS>): Action {
  const [command, subject, ...rest] = positionals;
  expectNone(rest);
  if (
    (expires !== undefined && command !== 'create') ||
    (grace !== undefined && command !== 'rotate')
  ) {
    throw new CommandFailure(2, '--expires goes with create, --grace with rotate; see --help');
  }
  switch (command) {
    case 'create':
      return createAction(subject, expires);
    case 'list':
      return listAction(subject);
    case 'revoke':
      return revokeAction(subject);
    case 'rotate':
      return rotateAction(subject, grace);
    default:
      throw new CommandFailure(2, 'say create, list, revoke or rotate; see --help');
  }
}
