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
  // Other values ask for what can't be had, which must not be ignored silently.
  target_session_attrs: ['any', 'read-write', 'primary'],
  load_balance_hosts: ['disable'],
  gssencmode: ['disable', 'prefer'],
};

/** Accepted and ignored: the pool decides these itself, or only Prisma's own pool would heed them. */
const IGNORED =
  'connect_timeout statement_timeout client_encoding keepalives keepalives_idle keepalives_interval keepalives_count ' +
  'connection_limit pool_timeout socket_timeout pgbouncer statement_cache_size';

const NAMES: ReadonlySet<string> = new Set([
  ...FREE.split(' '),
  ...Object.keys(ONE_OF),
  ...IGNORED.split(' '),
]);

/** PostgreSQL truncates a longer name (NAMEDATALEN): two of them could be one schema. */
const MAX_NAME_BYTES = 63;

export function isParameter(name: string): boolean {
  return NAMES.has(name);
}

/** @throws StartupFailure if a known parameter has an invalid value */
export function checkParameter(name: string, value: string): void {
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
      `DATABASE_URL: schema must be a name of ${MAX_NAME_BYTES} bytes at most, and none of PostgreSQL's own`,
    );
  }
}

/** Of several hosts, one may have the default. */
function isPort(text: string): boolean {
  return text === '' || (/^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) <= 65_535);
}

/** In a search_path PostgreSQL takes $user for the role's name. */
function isSchemaName(name: string): boolean {
  return (
    Buffer.byteLength(name) <= MAX_NAME_BYTES &&
    !/^(?:pg_.*|information_schema|\$user)$/s.test(name)
  );
}
