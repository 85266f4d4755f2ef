import type { Gateway } from '../definition.ts';
import {
  type Command,
  type Given,
  printable,
  rejectPositionals,
  table,
  wholeNumber,
} from '@store-gateway/ops/command-line';
import { VARIABLE_NAMES } from '../config/config.ts';
import {
  type AuditedType,
  auditedTypes,
  type AuditFilter,
  type AuditRecord,
  listChanges,
} from '../database/audit.ts';
import { EXIT_CODES, readDuration, WHICH_STORE, withDatabase } from './on-database.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 100_000;

const OPTIONS = {
  since: { type: 'string' },
  by: { type: 'string' },
  limit: { type: 'string' },
} as const;

type AuditOptions = Record<string, { readonly type: 'string' }>;

const helpOf = (
  types: readonly AuditedType[],
): string => `Lists who changed which row, the latest change last.

  npm run --silent audit -- [--since PERIOD] [--by CALLER]${types.map(({ name }) => ` [--${optionOf(name)} ID]`).join('')} [--limit NUMBER]

PERIOD is a number and a unit: 12h or 90d. CALLER is the number of an API key, or the name of another caller.
${ofTypes(types)} Lists the latest NUMBER changes, by default ${DEFAULT_LIMIT}.
${WHICH_STORE}

${EXIT_CODES}
`;

function ofTypes(types: readonly AuditedType[]): string {
  return types.length === 0
    ? 'No type of this store has audit: true, so there may be no changes.'
    : `Changes to all types with audit: true are recorded: ${types.map(({ name }) => name).join(', ')}.`;
}

function optionOf(type: string): string {
  return type.toLowerCase();
}

/** Returns the command. It loads the store first, because the store's types are options. */
export async function auditCommand(gateway: Gateway): Promise<Command<AuditOptions>> {
  const types = auditedTypes((await gateway.load()).schema);
  const ofRows = Object.fromEntries(
    types.map(({ name }) => [optionOf(name), { type: 'string' } as const]),
  );
  return {
    name: 'audit',
    help: helpOf(types),
    options: { ...ofRows, ...OPTIONS },
    variables: VARIABLE_NAMES,
    read: ({ positionals, values }) => {
      rejectPositionals(positionals);
      const filter = readFilter(types, values);
      return withDatabase(
        gateway,
        async (database) => {
          const changes = await listChanges(database, filter);
          return table([COLUMNS, ...changes.map(cellsOf)]);
        },
        { purpose: 'audit', mayMakeStore: false },
      );
    },
  };
}

function readFilter(
  types: readonly AuditedType[],
  values: Given<AuditOptions>['values'],
): AuditFilter {
  const { since, by: caller, limit } = values;
  return {
    since: since === undefined ? undefined : readDuration('--since', since),
    caller,
    rows: types.flatMap(({ name, model }) => {
      const rowId = values[optionOf(name)];
      return rowId === undefined ? [] : [{ model, rowId }];
    }),
    limit: limit === undefined ? DEFAULT_LIMIT : wholeNumber('--limit', limit, { most: MAX_LIMIT }),
  };
}

const COLUMNS = ['AT', 'CALLER', 'NAME', 'OPERATION', 'CHANGE', 'TYPE', 'ID', 'REQUEST'];

function cellsOf(record: AuditRecord): string[] {
  const { at, caller, keyName, operation, change, model, rowId, requestId } = record;
  const cells = [
    caller ?? '(service)',
    keyName ?? '(no API key)',
    operation ?? '',
    change,
    model,
    rowId,
    requestId ?? '',
  ];
  return [at.toISOString(), ...cells.map(printable)];
}
