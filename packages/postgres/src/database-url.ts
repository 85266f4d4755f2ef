import { StartupFailure } from '@store-gateway/ops';

/** Parameters of libpq, of node-postgres (ssl, uselibpqcompat) and of Prisma (schema) that may have any value. */
const FREE =
  'host port user password dbname options application_name sslrootcert sslcert sslkey schema';

const ONE_OF: Readonly<Record<string, readonly string[]>> = {
  sslmode: ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'],
  ssl: ['true', '1', 'false', '0', 'no-verify'],
  sslnegotiation: ['postgres', 'direct'],
  uselibpqcompat: ['true', 'false'],
  channel_binding: ['disable', 'prefer', 'require'],
  // Other values request something unsupported, which must not be ignored silently.
  target_session_attrs: ['any', 'read-write', 'primary'],
  load_balance_hosts: ['disable'],
  gssencmode: ['disable', 'prefer'],
};

/**
 * Parameters that are accepted and ignored, because the pool makes these decisions itself, or they only apply to Prisma's own
 * pool.
 */
const IGNORED =
  'connect_timeout statement_timeout client_encoding keepalives keepalives_idle keepalives_interval keepalives_count ' +
  'connection_limit pool_timeout socket_timeout pgbouncer statement_cache_size';

const PARAMETERS: ReadonlySet<string> = new Set([
  ...FREE.split(' '),
  ...Object.keys(ONE_OF),
  ...IGNORED.split(' '),
]);

/** PostgreSQL truncates longer names (NAMEDATALEN), so two of them could mean the same schema. */
const MAX_SCHEMA_BYTES = 63;

function isParameter(name: string): boolean {
  return PARAMETERS.has(name);
}

/** @throws StartupFailure if a known parameter has an invalid value */
function checkParameter(name: string, value: string): void {
  const values = ONE_OF[name];
  if (values?.includes(value) === false) {
    throw new StartupFailure(
      `DATABASE_URL: ${name} must be ${values.join(', ')}, not ${JSON.stringify(value)}`,
    );
  }
  if (name === 'port' && !value.split(',').every(isPort)) {
    throw new StartupFailure('DATABASE_URL: port must be an integer between 1 and 65535');
  }
  if (name === 'schema' && !isSchemaName(value)) {
    throw new StartupFailure(
      `DATABASE_URL: schema must be a name of at most ${MAX_SCHEMA_BYTES} bytes that PostgreSQL does not reserve`,
    );
  }
}

/** Whether a text is a port. An empty text means the default port, for example for one of several hosts. */
function isPort(text: string): boolean {
  return text === '' || (/^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) <= 65_535);
}

/** Rejects reserved names, and $user, which PostgreSQL replaces with the role's name in a search_path. */
function isSchemaName(name: string): boolean {
  return (
    Buffer.byteLength(name) <= MAX_SCHEMA_BYTES &&
    !/^(?:pg_.*|information_schema|\$user)$/s.test(name)
  );
}

/** The parts of DATABASE_URL, keyed by libpq's names: host, port, user, password, dbname, sslmode and so on. */
export type DatabaseUrl = ReadonlyMap<string, string>;

const SYNTAX = /^postgres(?:ql)?:\/\/(?:([^/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/is;
const USER_AND_PASSWORD = /^([^:]*):?(.*)$/s;
const HOST_AND_PORT = /^(?:\[([^\]]+)\]|([^:]*)):?(\d*)$/;
/** Separates several hosts, and their ports. */
const SEPARATOR = ',';
const NAME_AND_VALUE = /^([^=]*)=(.*)$/s;

/**
 * Parses DATABASE_URL like libpq, where each part may be a parameter instead
 * (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS), and as leniently as JavaScript's URLs:
 * it accepts "@" in a password, "%" that encodes nothing, and "+" for a space in a parameter.
 *
 * @throws StartupFailure, which never contains the password
 */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const [userinfo = '', authority = '', path = '', query = ''] = match(SYNTAX, text.trim());
  const parameters = parametersOf(query);
  const [user = '', password = ''] = match(USER_AND_PASSWORD, userinfo);
  const parts = { user, password, ...hostsAndPorts(authority), dbname: path };
  const url = new Map(Object.entries(parts).map(([part, value]) => [part, decode(value)]));
  parameters.forEach((value, parameter) => url.set(parameter, value));
  for (const [parameter, value] of url) {
    if (value.replaceAll(SEPARATOR, '') === '') {
      url.delete(parameter);
    } else {
      checkParameter(parameter, value);
    }
  }
  serversOf(url);
  return url;
}

/**
 * Returns the servers in a URL, in the order in which they are tried. Each host is a name, an address, or the folder of a socket.
 * For undefined parts, node-postgres uses its defaults.
 *
 * @throws StartupFailure if there are not as many ports as hosts
 */
export function serversOf(url: DatabaseUrl) {
  const hosts = (url.get('host') ?? '').split(SEPARATOR);
  const ports = (url.get('port') ?? '').split(SEPARATOR);
  if (ports.length !== 1 && ports.length !== hosts.length) {
    throw new StartupFailure(
      `DATABASE_URL has ${hosts.length} hosts and ${ports.length} ports; it must have one port, or one for each host`,
    );
  }
  return hosts.map((host, index) => {
    const port = ports[index] ?? ports[0];
    return { host: host || undefined, port: port ? Number(port) : undefined };
  });
}

function hostsAndPorts(authority: string): { readonly host: string; readonly port: string } {
  const servers = authority.split(SEPARATOR).map((server) => match(HOST_AND_PORT, server));
  return {
    host: servers.map(([address, name = '']) => address ?? name).join(SEPARATOR),
    port: servers.map(([, , port = '']) => port).join(SEPARATOR),
  };
}

/** Returns the schema in a URL, if it has one. */
export function schemaOf(url: string): string | undefined {
  return parseDatabaseUrl(url).get('schema');
}

/** Returns the URL with a schema added. */
export function inSchema(url: string, schema: string): string {
  return `${url.trim()}${url.includes('?') ? '&' : '?'}schema=${encodeURIComponent(schema)}`;
}

function parametersOf(query: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const parameter of query.split('&').filter(Boolean)) {
    const [name = '', value = ''] = match(NAME_AND_VALUE, parameter.replaceAll('+', ' '));
    parameters.set(decode(name), decode(value));
  }
  const unknown = [...parameters.keys()].find((name) => !isParameter(name));
  if (unknown === undefined) {
    return parameters;
  }
  // If the password contains a question mark, the query contains the rest of the password and the "@".
  throw query.includes('@')
    ? malformed()
    : new StartupFailure(`DATABASE_URL has an unknown parameter, ${JSON.stringify(unknown)}`);
}

function match(form: RegExp, text: string): (string | undefined)[] {
  const found = form.exec(text);
  if (found === null) throw malformed();
  return found.slice(1);
}

function decode(text: string): string {
  let decoded = '\0';
  try {
    decoded = text.replaceAll(/(?:%[\da-f]{2})+/gi, (encoded) => decodeURIComponent(encoded));
  } catch {
    // It is not UTF-8.
  }
  // PostgreSQL would treat a null character as the end of the value.
  if (decoded.includes('\0')) throw malformed();
  return decoded;
}

function malformed(): StartupFailure {
  return new StartupFailure(
    'DATABASE_URL must be a URL such as postgresql://user:password@host:5432/database',
  );
}
