import { log, StartupFailure } from '@store-gateway/ops';
import { readFileSync } from 'node:fs';
import { isIPv4, type Socket } from 'node:net';
import { userInfo } from 'node:os';
import type { ConnectionOptions } from 'node:tls';
import { type Client, type ClientConfig, defaults, escapeIdentifier } from 'pg';
import { type DatabaseUrl, parseDatabaseUrl, serversOf } from './database-url.ts';

/**
 * Logs a warning if a connection to another machine isn't encrypted, because anyone on the network path can read it.
 *
 * @param stream the client's stream: the socket, or TLS on top of it
 */
export function warnOfPlaintext(socket: Pick<Socket, 'remoteAddress'>, stream: object): void {
  const { remoteAddress: address } = socket;
  if (address !== undefined && !isLoopbackAddress(address) && !('encrypted' in stream)) {
    log.warn(
      { address },
      'the connection to the database is not encrypted: set sslmode=verify-full in its URL',
    );
  }
}

function isLoopbackAddress(address: string): boolean {
  const mapped = address.replace(/^::ffff:/, '');
  return isIPv4(mapped) ? mapped.startsWith('127.') : address === '::1';
}

const FILES = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const;

/**
 * Returns how connections to a host are encrypted; undefined if the URL doesn't specify it. Every mode except disable and
 * no-verify means verify-full, unless uselibpqcompat selects libpq's meanings.
 *
 * @throws StartupFailure if a file can't be read
 */
function tlsOptions(
  url: DatabaseUrl,
  host: string | undefined,
): boolean | ConnectionOptions | undefined {
  const mode = modeOf(url, host);
  if (mode === undefined || mode === 'disable') {
    return mode && false;
  }
  const options: ConnectionOptions = {};
  for (const [parameter, option] of Object.entries(FILES)) {
    const file = url.get(parameter);
    // In libpq, "system" means the system's CAs; here it means Node's CAs, which are the default.
    if (file !== undefined && file !== 'system') {
      options[option] = contentOf(parameter, file);
    }
  }
  return {
    ...options,
    ...(mode === 'no-verify' && { rejectUnauthorized: false }),
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
  };
}

/** The sslmode for each value of the parameter `ssl`, which drivers for other languages use. */
const MODES_OF_SSL = new Map([
  ['true', 'require'],
  ['1', 'require'],
  ['false', 'disable'],
  ['0', 'disable'],
  ['no-verify', 'no-verify'],
]);

type Mode = 'disable' | 'no-verify' | 'verify-ca' | 'verify-full';

function modeOf(url: DatabaseUrl, host: string | undefined): Mode | undefined {
  // PostgreSQL doesn't support TLS on Unix sockets, and libpq doesn't try to use it.
  if (host?.startsWith('/') === true) {
    return 'disable';
  }
  const mode = url.get('sslmode') ?? MODES_OF_SSL.get(url.get('ssl') ?? '');
  if (mode === 'disable' || mode === 'no-verify') {
    return mode;
  }
  const needsTls =
    Object.keys(FILES).some((parameter) => url.has(parameter)) ||
    url.get('sslnegotiation') === 'direct';
  if (mode === undefined && !needsTls) {
    return undefined;
  }
  return url.get('uselibpqcompat') === 'true'
    ? libpqMode(mode, url.get('sslrootcert'))
    : 'verify-full';
}

/**
 * Returns an sslmode's meaning in libpq, except that connections are always encrypted
 * (https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-PROTECTION).
 */
function libpqMode(mode: string | undefined, authority: string | undefined): Mode {
  if (authority === 'system') {
    return 'verify-full';
  }
  switch (mode) {
    case 'allow':
    case 'prefer':
      return 'no-verify';
    case 'require':
      return authority === undefined ? 'no-verify' : 'verify-ca';
    case 'verify-ca':
      if (authority === undefined) {
        throw new StartupFailure('DATABASE_URL: sslmode=verify-ca needs an sslrootcert');
      }
      return mode;
    default:
      return 'verify-full';
  }
}

function contentOf(parameter: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupFailure(`DATABASE_URL: the file in ${parameter} cannot be read: ${reason}`, {
      cause: error,
    });
  }
}

/**
 * Settings for each session, unless `options` in the URL override them. Each prepared statement has one generic plan, because
 * replanning for every array argument takes longer than executing the statement. PostgreSQL reports an unconfirmed commit as a
 * warning (pooled-client.ts), which one of the role's default settings might suppress. The pool decides which idle sessions to
 * keep.
 */
const SETTINGS =
  '-c plan_cache_mode=force_generic_plan -c client_min_messages=warning -c idle_session_timeout=0';

// The default user in libpq. node-postgres only reads the variable USER.
defaults.user ??= userName();

/**
 * Whether to send our session settings. Poolers share sessions between clients, so the settings would be lost or affect other
 * clients.
 */
type Settings = 'ours' | 'none';

/**
 * Returns node-postgres's configuration for each server of a URL, in the URL's order. node-postgres reads missing parts from
 * PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE and PGSSLMODE.
 *
 * @param more additional settings for each session, ignored if `settings` is `none`
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
  // PostgreSQL uses the last value of each setting.
  return [
    SETTINGS,
    more,
    parameters.get('options') ?? '',
    // Placed last, so that `options` can't override them.
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
    // In a container, the process's user id may have no name.
    return undefined;
  }
}

interface Setting {
  /** The name in pg_settings. */
  readonly name: string;
  readonly value: string;
  /** Whether another value has the same effect. By default, no other value does. */
  readonly isSame?: (value: string) => boolean;
}

/** Settings that decide how values are read and written. A role or a database may have other defaults. */
const EXPECTED_SETTINGS: readonly Setting[] = [
  {
    name: 'TimeZone',
    value: 'UTC',
    isSame: (value) => /^(?:Etc\/)?(?:UTC|UCT|GMT|Zulu|Universal)$/i.test(value),
  },
  { name: 'DateStyle', value: 'ISO', isSame: (value) => value.startsWith('ISO') },
  { name: 'IntervalStyle', value: 'postgres' },
  { name: 'extra_float_digits', value: '1', isSame: (value) => Number(value) >= 1 },
  { name: 'bytea_output', value: 'hex' },
  { name: 'standard_conforming_strings', value: 'on' },
  { name: 'transform_null_equals', value: 'off' },
  { name: 'array_nulls', value: 'on' },
];

/** The session settings in the format of a connection's `options`. */
const SESSION_SETTINGS = EXPECTED_SETTINGS.map(({ name, value }) => `-c ${name}=${value}`).join(
  ' ',
);

/**
 * Checks that a session has the settings that responses depend on. Behind a pooler, they come from the role or the database.
 *
 * @throws StartupFailure with the statements that set them
 */
export async function expectSessionSettings(session: Client): Promise<void> {
  const { rows } = await session.query<{ name: string; setting: string; role: string }>(
    'SELECT name, setting, current_user AS role FROM pg_settings WHERE name = ANY ($1)',
    [EXPECTED_SETTINGS.map(({ name }) => name)],
  );
  const statements = rows.flatMap(({ name, setting, role }) => {
    const expected = EXPECTED_SETTINGS.find((each) => each.name === name);
    return expected === undefined || setting === expected.value || expected.isSame?.(setting)
      ? []
      : [`ALTER ROLE ${escapeIdentifier(role)} SET ${name} = '${expected.value}'`];
  });
  if (statements.length > 0) {
    throw new StartupFailure(
      `The pooler in front of the database drops session settings that responses depend on: run ${statements.join('; ')}, then let the pooler reconnect.`,
    );
  }
}
