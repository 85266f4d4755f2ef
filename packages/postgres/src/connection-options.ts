import { userInfo } from 'node:os';
import { type ClientConfig, defaults, escapeIdentifier } from 'pg';
import { parseDatabaseUrl } from './database-url.ts';
import { tlsOptions } from './tls-options.ts';

/**
 * What the sessions of the service begin with, unless `options` in the URL say otherwise. Each of our statements has one
 * good plan. Left to itself the server would make a new one for each execution of those that take arrays, which takes
 * longer than to execute them. That somebody has cancelled the wait for a standby is a warning (packages/postgres/src/pooled-client.ts),
 * which a default of the role may leave out.
 */
const SETTINGS = '-c plan_cache_mode=force_generic_plan -c client_min_messages=warning';

// The default of libpq; node-postgres knows USER alone.
defaults.user ??= userName();

/**
 * What node-postgres needs to connect to the database of a URL. What that leaves out node-postgres takes from PGHOST,
 * PGPORT, PGUSER, PGPASSWORD, PGDATABASE and PGSSLMODE.
 *
 * @throws StartupFailure if the URL, or a file that it names, can't be read
 */
export function connectionOptions(url: string): ClientConfig {
  const parameters = parseDatabaseUrl(url);
  const port = parameters.get('port');
  const ssl = tlsOptions(parameters);
  const beginsWithTls = ssl !== false && parameters.get('sslnegotiation') === 'direct';
  return {
    host: parameters.get('host'),
    port: port === undefined ? undefined : Number(port),
    user: parameters.get('user'),
    password: parameters.get('password'),
    database: parameters.get('dbname'),
    application_name: parameters.get('application_name'),
    ssl,
    ...(beginsWithTls && { sslnegotiation: 'direct' }),
    enableChannelBinding: ['prefer', 'require'].includes(parameters.get('channel_binding') ?? ''),
    options: sessionOptions(parameters.get('options'), parameters.get('schema')),
  };
}

/** PostgreSQL goes by the last one of a name. */
function sessionOptions(ofUrl: string | undefined, schema: string | undefined): string {
  const searchPath =
    schema === undefined ? '' : ` -c search_path=${escapeOption(escapeIdentifier(schema))}`;
  return `${SETTINGS} ${ofUrl ?? ''}${searchPath}`;
}

function escapeOption(value: string): string {
  return value.replaceAll(/[\\\s]/g, String.raw`\$&`);
}

function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a number that has no name.
    return undefined;
  }
}
