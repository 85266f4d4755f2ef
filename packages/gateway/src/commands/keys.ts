import type { Gateway } from '../definition.ts';

import { toInt64 } from '@store-gateway/ops';
import { scopeNames } from '../auth/scope-names.ts';
import { VARIABLE_NAMES } from '../config/config.ts';
import {
  CommandFailure,
  type Command,
  type Given,
  parseDuration,
  expectNone,
} from '@store-gateway/ops/command-line';
import { create, list, restrict, revoke, rotate } from './key-actions.ts';
import { readRestrictions, RESTRICTION_OPTIONS } from './key-restrictions.ts';
import { EXIT_CODES, withDatabase, WHICH_STORE, type Action } from './with-database.ts';

const helpOf = (scopes: readonly string[]): string => `Manages the API keys of the store.

  npm run --silent keys -- create NAME [--expires DURATION] [RESTRICTIONS]
                                                            create a key and print it (shown only once)
  npm run --silent keys -- list                             list all keys, without their secrets
  npm run --silent keys -- restrict ID RESTRICTIONS         restrict a key otherwise, and list it
  npm run --silent keys -- revoke ID                        revoke a key
  npm run --silent keys -- rotate ID [--grace DURATION]     replace a key and print the new one

RESTRICTIONS, without which a key may do everything:
  --scopes SCOPES    only what these scopes allow: ${scopes.join(', ')}; or all
  --origins ORIGINS  only from pages of these origins, such as https://shop.example, without the scope
                     write, by default with read alone; or all
  --documents        only trusted documents, sent to /graphql; --no-documents lifts it

Lists are separated by commas. restrict changes the restrictions that it is given, and leaves the others.
DURATION is a number and a unit: 45s, 30m, 12h or 90d. Without --expires, a key never expires. A rotated key
is revoked at once, or after the grace period; the new key has the same lifetime and restrictions. All
processes reject a key within 5 seconds after it becomes invalid, and heed changed restrictions as soon.
${WHICH_STORE}

${EXIT_CODES}
`;

const OPTIONS = {
  expires: { type: 'string' },
  grace: { type: 'string' },
  ...RESTRICTION_OPTIONS,
} as const;

export function keysCommand(gateway: Gateway): Command<typeof OPTIONS> {
  const scopes = scopeNames(gateway.access);
  return {
    name: 'keys',
    help: helpOf(scopes),
    options: OPTIONS,
    variables: VARIABLE_NAMES,
    read: (given) =>
      withDatabase(gateway, readAction(given, scopes), {
        purpose: 'keys',
        mayMakeStore: given.positionals[0] === 'create',
      }),
  };
}

function readAction(
  { values: { expires, grace, ...values }, positionals }: Given<typeof OPTIONS>,
  scopes: readonly string[],
): Action {
  const [command, subject, ...rest] = positionals;
  expectNone(rest);
  const restrictions = readRestrictions(values, scopes);
  const isRestricting = Object.keys(restrictions).length > 0;
  if (isRestricting && command !== 'create' && command !== 'restrict') {
    const message = '--scopes, --origins and --documents go with create and restrict; see --help';
    throw new CommandFailure(2, message);
  }
  if (
    (expires !== undefined && command !== 'create') ||
    (grace !== undefined && command !== 'rotate')
  ) {
    throw new CommandFailure(2, '--expires goes with create, --grace with rotate; see --help');
  }
  switch (command) {
    case 'create':
      return create(subject, readDuration('--expires', expires), restrictions);
    case 'list':
      expectNone(subject === undefined ? [] : [subject]);
      return list;
    case 'restrict':
      if (!isRestricting) {
        const message = 'restrict needs --scopes, --origins or --documents; see --help';
        throw new CommandFailure(2, message);
      }
      return restrict(readId(subject), restrictions);
    case 'revoke':
      return revoke(readId(subject));
    case 'rotate':
      return rotate(readId(subject), readDuration('--grace', grace));
    default:
      throw new CommandFailure(2, 'give create, list, restrict, revoke or rotate; see --help');
  }
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
