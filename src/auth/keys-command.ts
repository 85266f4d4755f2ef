import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import { startDatabase } from '../database/start.ts';
import { errorCode } from '../errors.ts';
import { log } from '../log.ts';
import { StartupFailure } from '../startup-failure.ts';
import {
  CommandFailure,
  createAction,
  listAction,
  revokeAction,
  rotateAction,
  type Action,
} from './key-actions.ts';
import { printable } from './printable.ts';

const HELP = `Manages the API keys of the store.

  npm run --silent keys -- create NAME [--expires DURATION]   make a key and print it, this once
  npm run --silent keys -- list                               list all keys, without the keys themselves
  npm run --silent keys -- revoke ID                          refuse a key from now on
  npm run --silent keys -- rotate ID [--grace DURATION]       replace a key and print the new one

DURATION is a number and a unit: 45s, 30m, 12h or 90d. A key without --expires never expires. A rotated
key is revoked, or with --grace works until that time is over; the new one lives as long as it did. A key that is no longer valid is refused
everywhere within 5 seconds. The store is the one that npm start would use: DATABASE_URL, or the embedded
one in DATA_DIR. It may be running or not.

Exit codes: 0 done, 1 failed, 2 not understood.
`;

try {
  const action = readArguments(process.argv.slice(2));
  process.stdout.write(action === undefined ? HELP : await onDatabase(action));
} catch (error) {
  if (!isExpected(error)) {
    throw error;
  }
  process.stderr.write(`keys: ${printable(error.message)}\n`);
  process.exitCode = error instanceof CommandFailure ? error.exitCode : 1;
}

/** Whether an error is told in a line: it is the user's to mend, or the database's. */
function isExpected(error: unknown): error is Error {
  return (
    error instanceof CommandFailure ||
    error instanceof StartupFailure ||
    errorCode(error) !== undefined
  );
}

/** What the arguments ask to be done; undefined for help. */
function readArguments(args: string[]): Action | undefined {
  const { values, positionals } = parse(args);
  const [command, subject, ...rest] = positionals;
  const { help, expires, grace } = values;
  if (help === true || command === 'help') {
    return undefined;
  }
  if (rest.length > 0) {
    throw new CommandFailure(2, `unexpected "${rest.join(' ')}"; see --help`);
  }
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

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        expires: { type: 'string' },
        grace: { type: 'string' },
      },
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(2, `${reason.replaceAll('\n', ' ')}; see --help`);
  }
}

async function onDatabase(action: Action): Promise<string> {
  // oxlint-disable-next-line node/no-process-env -- an entry point hands the environment over
  const config = readConfig(process.env);
  // The answer alone goes to stdout, where the log would go too.
  log.level = 'silent';
  const { database, stop } = await startDatabase(config);
  try {
    return await action(database);
  } finally {
    await stop();
  }
}
