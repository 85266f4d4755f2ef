import type { Gateway } from '../gateway.ts';
import { VARIABLE_NAMES } from '../config/config.ts';
import { listDeprecatedCalls } from '../usage/deprecated-calls.ts';
import type { Command } from '@gateway/command-line/command';
import { printable } from '@gateway/command-line/printable';
import { expectNone } from '@gateway/command-line/run-command';
import { table } from '@gateway/command-line/table';
import { EXIT_CODES, onDatabase, WHICH_STORE, type Action } from './on-database.ts';

const HELP = `Lists the API keys that still call deprecated fields, the most recent call first.

  npm run --silent deprecations

A call appears here within a second.
${WHICH_STORE}

${EXIT_CODES}
`;

export function deprecationsCommand(gateway: Gateway): Command {
  return {
    name: 'deprecations',
    help: HELP,
    options: {},
    variables: VARIABLE_NAMES,
    read: ({ positionals }) => {
      expectNone(positionals);
      return onDatabase(gateway, list, { purpose: 'deprecations', mayMakeStore: false });
    },
  };
}

const list: Action = async (database) =>
  table([
    ['FIELD', 'CALLS', 'LAST', 'KEY', 'NAME'],
    ...(await listDeprecatedCalls(database)).map(({ field, calls, lastAt, key }) => [
      field,
      String(calls),
      lastAt.toISOString(),
      String(key.id),
      printable(key.name ?? '(no API key)'),
    ]),
  ]);
