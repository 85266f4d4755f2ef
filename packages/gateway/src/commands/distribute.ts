import type { Gateway } from '../definition.ts';
import { CommandFailure, type Command } from '@store-gateway/ops/command-line';
import type { TableToDistribute } from '@store-gateway/local/migrations';
import { VARIABLE_NAMES } from '../config/config.ts';
import { sessionName } from '../database/address.ts';
import { EXIT_CODES, prepare } from './on-database.ts';

const HELP = `Distributes tables over the servers of a database with Citus, while the service keeps running.

  npm run --silent distribute -- MODEL [MODEL.FIELD …] [--reference MODEL]… [--check]

MODEL places each row by its id. MODEL.FIELD places it by the value of that field, beside the row with that
id, so that a list for one value reads from one server. The command changes nothing if it can't distribute
all of the given tables, or if a process is connected that started before the database had Citus: restart that
process first. Writes wait a second at most. If the command is interrupted, run it again to continue. Behind a
pooler, set DATABASE_DIRECT_URL.

  --reference MODEL   copies all rows to each server: for small tables; writes to them wait during the copy
  --check             changes nothing, and prints what would be distributed, or everything that prevents it

${EXIT_CODES}
`;

const OPTIONS = {
  reference: { type: 'string', multiple: true },
  check: { type: 'boolean', default: false },
} as const;

export function distributeCommand(gateway: Gateway): Command<typeof OPTIONS> {
  return {
    name: 'distribute',
    help: HELP,
    options: OPTIONS,
    variables: VARIABLE_NAMES,
    read: ({ positionals, values: { reference = [], check } }) => {
      const targets = [
        ...reference.map((name) => target(gateway, name, true)),
        ...positionals.map((name) => target(gateway, name, false)),
      ];
      if (targets.length === 0) throw new CommandFailure(2, 'MODEL is missing; see --help');
      return async (io) => {
        const { config, waiting } = await prepare(gateway, io, false);
        const { databaseUrl, databaseDirectUrl: directUrl } = config;
        if (databaseUrl === undefined) {
          throw new CommandFailure(1, 'the embedded PostgreSQL has no Citus; set DATABASE_URL');
        }
        const { migrationsOf } = await import('../database/tables.ts');
        const { distributeTables } = await import('@store-gateway/local/migrations');
        const count = await distributeTables(directUrl ?? databaseUrl, {
          ...migrationsOf(gateway),
          ...waiting,
          applicationName: `${gateway.serviceName} distribute`,
          variable: directUrl && 'DATABASE_DIRECT_URL',
          targets,
          unaware: sessionName(gateway.serviceName, 'serve', false),
          models: Object.fromEntries(
            Object.values(gateway.prisma.models).map(({ name, table }) => [table, name]),
          ),
          isCheck: check,
          onBegun: (name, changesKey) => {
            const change = changesKey ? ', and extend its primary key' : '';
            io.stdout.write(
              check ? `would distribute ${name}${change}\n` : `distributing ${name}\n`,
            );
          },
        });
        if (count === 0) return 'everything is already distributed\n';
        return check ? 'no obstacles found; nothing was changed\n' : 'done\n';
      };
    },
  };
}

function target({ prisma }: Gateway, name: string, isReference: boolean): TableToDistribute {
  const [modelName = '', fieldName, ...rest] = name.split('.');
  const model = prisma.models[modelName];
  if (model === undefined) {
    throw new CommandFailure(
      2,
      `there is no model ${modelName}; the models are ${Object.keys(prisma.models).join(', ')}`,
    );
  }
  const columnOf = (field: string): string | undefined =>
    model.columns.find((column) => column.field === field)?.column;
  const by = columnOf(fieldName ?? model.id);
  if (by === undefined || rest.length > 0 || (isReference && fieldName !== undefined)) {
    throw new CommandFailure(2, `${name} is not a column of ${modelName}`);
  }
  return {
    name,
    table: model.table,
    id: columnOf(model.id) ?? '',
    by: isReference ? undefined : by,
    beside: besideOf(prisma.models, model, fieldName)?.table,
  };
}

function besideOf(
  models: Gateway['prisma']['models'],
  { relations }: Gateway['prisma']['models'][string],
  field?: string,
) {
  const relation = relations.find(({ kind, foreignKey }) => kind === 'one' && foreignKey === field);
  return relation && models[relation.model];
}
