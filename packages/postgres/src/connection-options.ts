import { userInfo } from 'node:os';
import { type ClientConfig, defaults, escapeIdentifier } from 'pg';
import { parseDatabaseUrl } from './database-url.ts';
import { tlsOptions } from './tls-options.ts';

/**
 * Settings of each session, unless `options` in the URL override them. Prepared statements have one good plan each: to
 * plan anew for every array argument takes longer than to execute. An unconfirmed commit is a warning (pooled-client.ts),
 * which a default of the role might suppress.
 */
const SETTINGS = '-c plan_cache_mode=force_generic_plan -c client_min_messages=warning';

// The default of libpq; node-postgres knows USER alone.
defaults.user ??= userName();

/**
 * What node-postgres needs to connect to the database of a URL. It takes what the URL leaves out from PGHOST, PGPORT,
 * PGUSER, PGPASSWORD, PGDATABASE and PGSSLMODE.
 *
 * @throws StartupFailure if the URL is invalid, or a file that it names can't be read
 */
export function connectionOptions(url: string): ClientConfig {
  const parameters = parseDatabaseUrl(url);
  const port = parameters.get('port');
  const schema = parameters.get('schema');
  const ssl = tlsOptions(parameters);
  const isDirect = ssl !== false && parameters.get('sslnegotiation') === 'direct';
  return {
    host: parameters.get('host'),
    port: port === undefined ? undefined : Number(port),
    user: parameters.get('user'),
    password: parameters.get('password'),
    database: parameters.get('dbname'),
    application_name: parameters.get('application_name'),
    ssl,
    ...(isDirect && { sslnegotiation: 'direct' }),
    enableChannelBinding: ['prefer', 'require'].includes(parameters.get('channel_binding') ?? ''),
    // PostgreSQL goes by the last of each name.
    options: [
      SETTINGS,
      parameters.get('options') ?? '',
      ...(schema === undefined ? [] : [`-c search_path=${escapeOption(escapeIdentifier(schema))}`]),
    ].join(' '),
  };
}

function escapeOption(value: string): string {
  return value.replaceAll(/[\\\s]/g, String.raw`\$&`);
}

function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // In a container the process may run as a number without a name.
    return undefined;
  }
}
