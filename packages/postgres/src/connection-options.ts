import { userInfo } from 'node:os';
import { type ClientConfig, defaults, escapeIdentifier } from 'pg';
import { type DatabaseUrl, parseDatabaseUrl, serversOf } from './database-url.ts';
import { SESSION_SETTINGS } from './session-settings.ts';
import { tlsOptions } from './tls-options.ts';

/**
 * Settings of each session, unless `options` in the URL override them. Prepared statements have one good plan each: to
 * plan anew for every array argument takes longer than to execute. An unconfirmed commit is a warning (pooled-client.ts),
 * which a default of the role might suppress. Which idle sessions are kept is for the pool to decide.
 */
const SETTINGS =
  '-c plan_cache_mode=force_generic_plan -c client_min_messages=warning -c idle_session_timeout=0';

// The default of libpq; node-postgres knows USER alone.
defaults.user ??= userName();

/** A pooler shares sessions: what is set in one would be lost, or become another's. */
type Settings = 'ours' | 'none';

/**
 * What node-postgres needs to connect to each server of a URL, in their order. It takes what the URL leaves out from
 * PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE and PGSSLMODE.
 *
 * @param more settings of each session, unless `settings` is `none`
 * @throws StartupFailure if the URL is invalid, or a file that it names can't be read
 */
export function connectionOptions(
  url: string,
  settings: Settings = 'ours',
  more = '',
): readonly ClientConfig[] {
  const parameters = parseDatabaseUrl(url);
  const common: ClientConfig = {
    user: parameters.get('user'),
    password: parameters.get('password'),
    database: parameters.get('dbname'),
    application_name: parameters.get('application_name'),
    enableChannelBinding: ['prefer', 'require'].includes(parameters.get('channel_binding') ?? ''),
    options: settings === 'ours' ? startupOptions(parameters, more) : parameters.get('options'),
  };
  return serversOf(parameters).map((server) => {
    const ssl = tlsOptions(parameters, server.host);
    const isDirect = ssl !== false && parameters.get('sslnegotiation') === 'direct';
    return Object.assign({ ssl }, common, server, isDirect && { sslnegotiation: 'direct' });
  });
}

function startupOptions(parameters: DatabaseUrl, more: string): string {
  const schema = parameters.get('schema');
  // PostgreSQL goes by the last of each name.
  return [
    SETTINGS,
    more,
    parameters.get('options') ?? '',
    // No `options` change these.
    SESSION_SETTINGS,
    ...(schema === undefined ? [] : [`-c search_path=${escapeOption(escapeIdentifier(schema))}`]),
  ].join(' ');
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
