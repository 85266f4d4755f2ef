import type { Gateway } from '../definition.ts';
import { isDay } from '@store-gateway/graphql';
import { VARIABLE_NAMES } from '../config/config.ts';
import { loadStore } from '../store.ts';
import { deprecationsOf, isInUse, listDeprecatedCalls } from '../usage/deprecated-calls.ts';
import {
  CommandFailure,
  type Command,
  type Given,
  printable,
  rejectPositionals,
  table,
} from '@store-gateway/ops/command-line';
import {
  EXIT_CODES,
  type GatewayAction,
  readDuration,
  WHICH_STORE,
  withDatabase,
} from './on-database.ts';

type Row = Awaited<ReturnType<typeof listDeprecatedCalls>>[number];

const DEFAULT_PERIOD = '90d';

const HELP = `Lists the deprecated parts of the API and the API keys that used them, the most recent call first.

  npm run --silent deprecations                                          list all
  npm run --silent deprecations -- --removed-by DATE [--within PERIOD]   fail if a removal breaks a caller

DATE is a day such as 2030-12-05. A removal on or before this day breaks a caller that has a valid key and used
the removed part within PERIOD, a number and a unit: 12h or 90d, by default ${DEFAULT_PERIOD}. Parts that this version no
longer has count as removed: before a deployment, run the command of the new version on the database in use.
It does not migrate the database. A call appears in the list within a second.
${WHICH_STORE}

${EXIT_CODES}
`;

const OPTIONS = { 'removed-by': { type: 'string' }, within: { type: 'string' } } as const;

export function deprecationsCommand(gateway: Gateway): Command<typeof OPTIONS> {
  return {
    name: 'deprecations',
    help: HELP,
    options: OPTIONS,
    variables: VARIABLE_NAMES,
    read: ({ positionals, values }) => {
      rejectPositionals(positionals);
      const action = readAction(gateway, values);
      return withDatabase(gateway, action, {
        purpose: 'deprecations',
        mayMakeStore: false,
        staysAsIs: values['removed-by'] !== undefined,
      });
    },
  };
}

function readAction(
  gateway: Gateway,
  { 'removed-by': day, within }: Given<typeof OPTIONS>['values'],
): GatewayAction {
  if (day === undefined) {
    if (within !== undefined) {
      throw new CommandFailure(2, '--within needs --removed-by; see --help');
    }
    return list(gateway);
  }
  if (!isDay(day)) {
    const message = `--removed-by must be a day, such as 2030-12-05, not "${day}"`;
    throw new CommandFailure(2, message);
  }
  return check(gateway, day, readDuration('--within', within ?? DEFAULT_PERIOD));
}

function list(gateway: Gateway): GatewayAction {
  return async (database) => {
    const all = deprecationsOf(await loadStore(gateway));
    const calls = await listDeprecatedCalls(database);
    const deprecated = table([
      ['DEPRECATED', 'SINCE', 'REMOVAL', 'INSTEAD'],
      ...all.map(({ of, since, removal, replacement }) => [
        of,
        since,
        removal,
        printable(replacement.inWords),
      ]),
    ]);
    return calls.length === 0
      ? deprecated
      : `${deprecated}\n${table([CALLS, ...calls.map(rowOf)])}`;
  };
}

/** Fails if the removals by a given day would break callers that were active within the last `period` milliseconds. */
function check(gateway: Gateway, day: string, period: number): GatewayAction {
  return async (database, { stderr }) => {
    const store = await loadStore(gateway);
    const removals = new Map(deprecationsOf(store).map(({ of, removal }) => [of, removal]));
    const isRemoved = (of: string) => {
      const removal = removals.get(of);
      return removal === undefined ? !isInUse(store, of) : removal <= day;
    };
    const from = (await database.$now()) - period;
    const broken = (await listDeprecatedCalls(database)).filter(
      ({ field, lastAt, key }) => key.isValid && lastAt.getTime() >= from && isRemoved(field),
    );
    if (broken.length > 0) {
      stderr.write(table([CALLS, ...broken.map(rowOf)]));
      const keys = new Set(broken.map(({ key }) => key.id)).size;
      const callers = keys === 1 ? 'a caller' : `${keys} callers`;
      throw new CommandFailure(1, `the removals by ${day} would break ${callers}`);
    }
    return `The removals by ${day} do not break any caller.\n`;
  };
}

const CALLS = ['CALLED', 'CALLS', 'LAST', 'KEY', 'NAME'];

function rowOf({ field, calls, lastAt, key }: Row): string[] {
  return [
    field,
    String(calls),
    lastAt.toISOString(),
    String(key.id),
    printable(key.name ?? '(no API key)'),
  ];
}
