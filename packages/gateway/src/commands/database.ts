import { resolve } from 'node:path';
import { type Command, CommandFailure, rejectPositionals } from '@store-gateway/ops/command-line';
import type { TableToDistribute } from '@store-gateway/local/migrations';
import { AsyncDisposableStack } from '@whatwg-node/disposablestack';
import { backUpEmbeddedPostgres } from '@store-gateway/local';
import { setLogger } from '@store-gateway/ops';
import type { Gateway } from '../definition.ts';
import { readConfig, VARIABLE_NAMES } from '../config/config.ts';
import { EXIT_CODES, prepare, WHICH_STORE } from './on-database.ts';
import { sessionName } from '../database/address.ts';

const MIGRATE_HELP = `Applies all pending migrations to the database, and prints their names.

  npm run --silent migrate
  npm run --silent migrate -- --retry 20260101000000_init

npm start does this itself, unless you set MIGRATE=off so that its role needs only to read and write rows. In
that case, run this first, with a DATABASE_URL whose role owns the tables. Behind a pooler, set
DATABASE_DIRECT_URL. If another process is migrating, this waits up to a minute. Without DATABASE_URL, it
migrates the embedded database in DATA_DIR. The service may be running.

  --retry NAME   applies a failed migration again, after you have repaired its file or the rows in its way;
                 if its file is gone, forgets the failed attempt

${EXIT_CODES}
`;

const MIGRATE_OPTIONS = { retry: { type: 'string' } } as const;

export function migrateCommand(gateway: Gateway): Command<typeof MIGRATE_OPTIONS> {
  return {
    name: 'migrate',
    help: MIGRATE_HELP,
    options: MIGRATE_OPTIONS,
    variables: VARIABLE_NAMES,
    read: ({ positionals, values: { retry } }) => {
      rejectPositionals(positionals);
      return async (io) => {
        // An empty store must not be created if DATABASE_URL is missing by mistake.
        const { config, waiting } = await prepare(gateway, io, false);
        const { migrateDatabase } = await import('../database/start.ts');
        const applied = await migrateDatabase(gateway, config, { ...waiting, retry });
        return applied.length === 0
          ? 'the database already has all migrations\n'
          : applied.map((name) => `applied ${name}\n`).join('');
      };
    },
  };
}

const DISTRIBUTE_HELP = `Distributes tables over the servers of a database with Citus, while the service keeps running.

  npm run --silent distribute -- MODEL [MODEL.FIELD …] [--reference MODEL]… [--check]

MODEL places each row by its id. MODEL.FIELD places it by the value of that field, next to the row with that
id, so that a list for one value reads from one server. The command changes nothing if it can't distribute
all of the given tables, or if a process is connected that started before the database had Citus: restart that
process first. Writes wait a second at most. If the command is interrupted, run it again to continue. Behind a
pooler, set DATABASE_DIRECT_URL.

  --reference MODEL   copies all rows to each server: for small tables; writes to them wait during the copy
  --check             changes nothing, and prints what would be distributed, or everything that prevents it

${EXIT_CODES}
`;

const DISTRIBUTE_OPTIONS = {
  reference: { type: 'string', multiple: true },
  check: { type: 'boolean', default: false },
} as const;

export function distributeCommand(gateway: Gateway): Command<typeof DISTRIBUTE_OPTIONS> {
  return {
    name: 'distribute',
    help: DISTRIBUTE_HELP,
    options: DISTRIBUTE_OPTIONS,
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
          throw new CommandFailure(
            1,
            'the embedded PostgreSQL does not include Citus; set DATABASE_URL',
          );
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

const EXPORT_HELP = `Prints a script that psql restores into an empty database of any PostgreSQL.

  npm run --silent export | psql "$DATABASE_URL"

The script contains everything that was committed when it started: tables, rows and the API keys' hashes, so
protect it like the store. It lacks rows that the service adds during the export: to move to another
PostgreSQL, stop the service first. Also stop it to export tables that Citus has distributed: otherwise, their
rows may be from different points in time.
${WHICH_STORE}

${EXIT_CODES}
`;

/** Makes psql stop at the first error, and suppresses notices about tables that two migrations create. */
const HEAD = `\\set ON_ERROR_STOP on
SET client_min_messages = warning;
SET client_encoding = 'UTF8';
DO $$ BEGIN
  IF EXISTS (
    SELECT FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT EXISTS (
      SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e'
    )
  ) THEN
    RAISE EXCEPTION 'the schema % has tables already: restore into an empty database', current_schema();
  END IF;
END $$;
`;

export function exportCommand(gateway: Gateway): Command {
  return {
    name: 'export',
    help: EXPORT_HELP,
    options: {},
    variables: VARIABLE_NAMES,
    read: ({ positionals }) => {
      rejectPositionals(positionals);
      return async (io) => {
        const { config, waiting } = await prepare(gateway, io, false);
        const { startDatabase } = await import('../database/start.ts');
        const { migrationsOf } = await import('../database/tables.ts');
        const { copyOut } = await import('@store-gateway/postgres/copy-out');
        const { migrationScript } = await import('@store-gateway/local/migrations');
        const { openStartSession } = await import('@store-gateway/postgres');
        await using started = new AsyncDisposableStack();
        const { address, stop } = await startDatabase(gateway, config, waiting);
        started.defer(stop);
        const session = await openStartSession(address.url, {
          applicationName: `${gateway.serviceName} export`,
          prepare: (opened) => Promise.resolve(opened),
        });
        started.defer(() => session.end());
        io.stdout.write(HEAD);
        io.stdout.write(
          await migrationScript(migrationsOf(gateway).sources, address.hasEarlierNames),
        );
        for await (const part of copyOut(session)) {
          io.stdout.write(part);
        }
        return '';
      };
    },
  };
}

const BACKUP_HELP = `Backs up the embedded database, whether or not the service is running.

  npm run --silent backup -- FOLDER

FOLDER must not exist yet. It becomes a data folder like DATA_DIR, with everything that was committed
before the backup finished. It contains the API keys' hashes: protect it like the store. To restore, stop
the service and replace DATA_DIR with a copy of FOLDER, or set DATA_DIR to FOLDER. With DATABASE_URL, use
the tools of that PostgreSQL instead.

${EXIT_CODES}
`;

export function backupCommand(gateway: Gateway): Command {
  return {
    name: 'backup',
    help: BACKUP_HELP,
    options: {},
    variables: VARIABLE_NAMES,
    read: ({ positionals: [folder, ...rest] }) => {
      rejectPositionals(rest);
      if (!folder) {
        throw new CommandFailure(2, 'FOLDER is missing; see --help');
      }
      return async ({ env, catchSignals }) => {
        const { databaseUrl, dataDirectory } = readConfig(env, gateway.defaults);
        setLogger(undefined);
        if (databaseUrl !== undefined) {
          throw new CommandFailure(
            1,
            'DATABASE_URL is set, so the database is not the embedded one: back it up with its own tools, such as pg_dump',
          );
        }
        // Otherwise, a signal would leave behind the PostgreSQL that was started for this backup.
        catchSignals();
        await backUpEmbeddedPostgres(dataDirectory, gateway.cluster, resolve(folder));
        return `backed up to ${folder}\n`;
      };
    },
  };
}
