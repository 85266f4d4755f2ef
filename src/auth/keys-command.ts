import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import { startDatabase } from '../database/start.ts';
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

const HELP = `Manages the API keys of the store.

  npm run --silent keys -- create NAME [--expires DURATION]   make a key and print it, this once
  npm run --silent keys -- list                               list all keys, without the keys themselves
  npm run --silent keys -- revoke ID                          refuse a key from now on
  npm run --silent keys -- rotate ID [--grace DURATION]       replace a key and print the new one

DURATION is a number and a unit: 45s, 30m, 12h or 90d. A key without --expires never expires. A rotated
key is refused at once, or with --grace when that time is over. A key that is no longer valid is refused
everywhere within 5 seconds. The store is the one that npm start would use: DATABASE_URL, or the embedded
one in DATA_DIR. It may be running or not.

Exit codes: 0 done, 1 failed, 2 not understood.
`;

try {
  const action = readArguments(process.argv.slice(2));
  process.stdout.write(action === undefined ? HELP : await onDatabase(action));
} catch (error) {
  if (!(error instanceof CommandFailure || error instanceof StartupFailure)) {
    throw error;
  }
  process.stderr.write(`keys: ${error.message}\n`);
  process.exitCode = error instanceof CommandFailure ? error.exitCode : 1;
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
    throw new CommandFailure(
      2,
      `${error instanceof Error ? error.message : String(error)}; see --help`,
    );
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
