import { StartupFailure } from '@gateway/errors/startup-failure';

/** What may be in DATABASE_URL of libpq, of node-postgres (ssl, uselibpqcompat) and of Prisma (schema). */
const ANY_VALUE = [
  'host',
  'user',
  'password',
  'dbname',
  'options',
  'application_name',
  'sslrootcert',
  'sslcert',
  'sslkey',
];

const ONE_OF: Readonly<Record<string, readonly string[]>> = {
  sslmode: ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'],
  ssl: ['true', '1', 'false', '0', 'no-verify'],
  sslnegotiation: ['postgres', 'direct'],
  uselibpqcompat: ['true', 'false'],
  channel_binding: ['disable', 'prefer', 'require'],
  // What these ask for otherwise can't be had, and is not to be missed without a word.
  target_session_attrs: ['any'],
  gssencmode: ['disable', 'prefer'],
};

/** What the service decides itself, and what Prisma's own pool would go by: taken, and of no effect. */
const WITHOUT_EFFECT = [
  'connect_timeout',
  'statement_timeout',
  'client_encoding',
  'keepalives',
  'keepalives_idle',
  'keepalives_interval',
  'keepalives_count',
  'connection_limit',
  'pool_timeout',
  'socket_timeout',
  'pgbouncer',
  'statement_cache_size',
];

const NAMES: ReadonlySet<string> = new Set([
  'port',
  'schema',
  ...ANY_VALUE,
  ...Object.keys(ONE_OF),
  ...WITHOUT_EFFECT,
]);

/** PostgreSQL cuts a longer name (NAMEDATALEN): two of them could be one schema. */
const MAX_NAME_BYTES = 63;

export function isParameter(name: string): boolean {
  return NAMES.has(name);
}

/** @throws StartupFailure unless a known parameter may have that value */
export function checkParameter(name: string, value: string): void {
  const values = ONE_OF[name];
  if (values?.includes(value) === false) {
    throw new StartupFailure(
      `DATABASE_URL: ${name} must be ${values.join(', ')}, not ${JSON.stringify(value)}`,
    );
  }
  if (
    name === 'port' &&
    !(/^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) < 65_536)
  ) {
    throw new StartupFailure('DATABASE_URL: port must be an integer between 1 and 65535');
  }
  if (name === 'schema' && !isSchemaName(value)) {
    throw new StartupFailure(
      `DATABASE_URL: schema must be a name of ${MAX_NAME_BYTES} bytes at most, and none of PostgreSQL's own`,
    );
  }
}

/** In a search_path PostgreSQL takes $user for the role's name. */
function isSchemaName(name: string): boolean {
  return (
    Buffer.byteLength(name) <= MAX_NAME_BYTES &&
    !/^(?:pg_.*|information_schema|\$user)$/s.test(name)
  );
}
