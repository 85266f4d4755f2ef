import type { Gateway } from '../gateway.ts';
import {
  createKey,
  listKeys,
  revokeKey,
  rotateKey,
  type KeyRecord,
} from '@gateway/api-keys/key-records';
import { VARIABLE_NAMES } from '../config/config.ts';
import { toInt64 } from '@gateway/pothos-plugins/input-rules';
import { CommandFailure } from '@gateway/command-line/command-failure';
import type { Command, Given } from '@gateway/command-line/command';
import { parseDuration } from '@gateway/command-line/duration';
import { printable } from '@gateway/command-line/printable';
import { expectNone } from '@gateway/command-line/run-command';
import { redactKeys } from '@gateway/log/redact-keys';
import { table } from '@gateway/command-line/table';
import { EXIT_CODES, onDatabase, WHICH_STORE, type Action } from './on-database.ts';

const HELP = `Manages the API keys of the store.

  npm run --silent keys -- create NAME [--expires DURATION]   create a key and print it (shown only once)
  npm run --silent keys -- list                               list all keys, without their secrets
  npm run --silent keys -- revoke ID                          revoke a key
  npm run --silent keys -- rotate ID [--grace DURATION]       replace a key and print the new one

DURATION is a number and a unit: 45s, 30m, 12h or 90d. Without --expires, a key never expires. A rotated key
is revoked at once, or after the grace period; the new key has the same lifetime. All processes reject a
key within 5 seconds after it becomes invalid.
${WHICH_STORE}

${EXIT_CODES}
`;

const OPTIONS = { expires: { type: 'string' }, grace: { type: 'string' } } as const;

const MAX_NAME_LENGTH = 255;

export function keysCommand(gateway: Gateway): Command<typeof OPTIONS> {
  return {
    name: 'keys',
    help: HELP,
    options: OPTIONS,
    variables: VARIABLE_NAMES,
    read: (given) =>
      onDatabase(gateway, readAction(given), {
        purpose: 'keys',
        mayMakeStore: given.positionals[0] === 'create',
      }),
  };
}

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
      return create(subject, readDuration('--expires', expires));
    case 'list':
      expectNone(subject === undefined ? [] : [subject]);
      return list;
    case 'revoke':
      return revoke(readId(subject));
    case 'rotate':
      return rotate(readId(subject), readDuration('--grace', grace));
    default:
      throw new CommandFailure(2, 'give create, list, revoke or rotate; see --help');
  }
}

function create(name: string | undefined, lifetime: number | undefined): Action {
  if (name === undefined || name.trim() === '' || !name.isWellFormed() || name.includes('\0')) {
    throw new CommandFailure(2, 'create needs a NAME that says who uses the key; see --help');
  }
  if (name.length > MAX_NAME_LENGTH) {
    throw new CommandFailure(2, `NAME may have at most ${MAX_NAME_LENGTH} characters`);
  }
  if (redactKeys(name) !== name) {
    throw new CommandFailure(2, 'NAME must not contain an API key');
  }
  return async (database) => {
    const expiresAt = lifetime === undefined ? null : new Date((await database.$now()) + lifetime);
    return `${await createKey(database, name, expiresAt)}\n`;
  };
}

const list: Action = async (database) => {
  const now = new Date(await database.$now());
  return table([
    ['ID', 'STATE', 'CREATED', 'EXPIRES', 'NAME'],
    ...(await listKeys(database)).map((key) => [
      String(key.id),
      stateOf(key, now),
      key.createdAt.toISOString(),
      key.expiresAt?.toISOString() ?? 'never',
      printable(key.name),
    ]),
  ]);
};

function revoke(id: bigint): Action {
  return async (database) => {
    if (!(await revokeKey(database, id))) {
      throw new CommandFailure(1, `there is no key ${id} to revoke; see list`);
    }
    return `revoked ${id}\n`;
  };
}

function rotate(id: bigint, grace = 0): Action {
  return async (database) => {
    const key = await rotateKey(database, id, grace);
    if (key === undefined) {
      throw new CommandFailure(1, `there is no valid key ${id}; see list`);
    }
    return `${key}\n`;
  };
}

function readId(text = ''): bigint {
  const id = toInt64(text);
  if (id === undefined || id < 1n) {
    throw new CommandFailure(2, 'ID must be the number of a key, as list shows it; see --help');
  }
  return id;
}

function readDuration(option: string, text: string | undefined): number | undefined {
  const duration = text === undefined ? undefined : parseDuration(text);
  if (text !== undefined && duration === undefined) {
    const message = `${option} must be a number and a unit, such as 90d, not "${text}"`;
    throw new CommandFailure(2, message);
  }
  return duration;
}

function stateOf({ revokedAt, expiresAt }: KeyRecord, now: Date): string {
  if (revokedAt !== null) {
    return 'revoked';
  }
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'valid';
}
