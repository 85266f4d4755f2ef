import type { Gateway } from '../definition.ts';
import { AsyncDisposableStack } from '@whatwg-node/disposablestack';
import { type Command, expectNone } from '@store-gateway/ops/command-line';
import { VARIABLE_NAMES } from '../config/config.ts';
import { EXIT_CODES, prepare, WHICH_STORE } from './on-database.ts';

const HELP = `Prints a script that psql restores into an empty database of any PostgreSQL.

  npm run --silent export | psql "$DATABASE_URL"

The script contains everything that was committed when it started: tables, rows and the API keys' hashes, so
protect it like the store. It lacks rows that the service adds during the export: to move to another
PostgreSQL, stop the service first. Also stop it to export tables that Citus has distributed: otherwise, their
rows may be from different points in time.
${WHICH_STORE}

${EXIT_CODES}
`;

/** Has psql stop at the first error, and print no notices of tables that two migrations create. */
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
    help: HELP,
    options: {},
    variables: VARIABLE_NAMES,
    read: ({ positionals }) => {
      expectNone(positionals);
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
