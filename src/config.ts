import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { databaseUrlFaults } from '@gateway/postgres/database-url';
import { DEFAULT_POOL_SIZE, MINIMUM_POOL_SIZE } from '@gateway/postgres/pool-size';
import { parsePolicy, type RateLimitPolicy } from '@gateway/rate-limits/policy';
import { StartupFailure } from '@gateway/errors/startup-failure';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

export interface Config {
  /** TCP port; 0 lets the system choose a free one. */
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  /** TCP port for metrics; undefined if there shall be none. 0 lets the system choose a free one. */
  readonly metricsPort: number | undefined;
  /** Address on which metrics are told, to anyone who asks there. */
  readonly metricsHost: string;
  /** URL of a PostgreSQL; without it the service runs its own under `dataDirectory`. */
  readonly databaseUrl: string | undefined;
  /** Absolute path of the folder in which the embedded PostgreSQL lives. */
  readonly dataDirectory: string;
  /** Whether a start applies the migrations that the database lacks; otherwise it expects to find them all. */
  readonly migrate: boolean;
  /** Connections to the database, at the most. */
  readonly poolSize: number;
  readonly logLevel: string;
  /** Origins whose pages may use the service from a browser, or '*' alone for all. */
  readonly corsOrigins: readonly string[];
  /** Whether GraphQL clients may ask for the schema. */
  readonly graphqlIntrospection: boolean;
  /** Whether GraphQL runs the operations that have been stored, and no others. */
  readonly trustedDocumentsOnly: boolean;
  /** Whether requests are traced: how is told by variables that OpenTelemetry's SDK reads itself. */
  readonly tracing: boolean;
  /** How much each key may ask for; undefined if there is no limit. */
  readonly rateLimit: RateLimitPolicy | undefined;
  /** How often an address may come with a key that is not valid; undefined if there is no limit. */
  readonly failedAuthLimit: RateLimitPolicy | undefined;
  readonly maximumConnections: number;
  /** How many requests may be open at a time. */
  readonly maximumOpenRequests: number;
  /** Addresses, CIDR ranges, and names of ranges, whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
}

/**
 * Reads and checks the environment; the one place that does. An empty variable counts as unset.
 *
 * @throws StartupFailure that names every fault
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const port = environment['PORT'] || '4000';
  const host = environment['HOST'] || '127.0.0.1';
  const metricsPort = environment['METRICS_PORT'] || undefined;
  const metricsHost = environment['METRICS_HOST'] || '127.0.0.1';
  const databaseUrl = environment['DATABASE_URL'] || undefined;
  const migrate = environment['MIGRATE'] || 'on';
  const poolSize = environment['POOL_SIZE'] || String(DEFAULT_POOL_SIZE);
  const logLevel = environment['LOG_LEVEL'] || 'info';
  const corsOrigins = (environment['CORS_ORIGINS'] ?? '').split(/[\s,]+/).filter(Boolean);
  const introspection = environment['GRAPHQL_INTROSPECTION'] || 'on';
  const trustedDocuments = environment['GRAPHQL_TRUSTED_DOCUMENTS'] || 'also';

  const rateLimit = environment['RATE_LIMIT'] || '60000/60s';
  const failedAuthLimit = environment['FAILED_AUTH_LIMIT'] || '60/60s';
  const trustedProxies = (environment['TRUSTED_PROXIES'] ?? '').split(/[\s,]+/).filter(Boolean);

  const maximumConnections = environment['MAX_CONNECTIONS'] || '4000';
  const maximumOpenRequests = environment['MAX_OPEN_REQUESTS'] || '1000';

  const faults = [
    ...[
      { name: 'PORT', value: port },
      { name: 'METRICS_PORT', value: metricsPort },
    ].map(({ name, value }) =>
      value === undefined || isPort(value)
        ? []
        : [`${name} must be an integer between 0 and 65535, not ${JSON.stringify(value)}`],
    ),
    ...[
      { name: 'HOST', value: host },
      { name: 'METRICS_HOST', value: metricsHost },
    ].map(({ name, value }) =>
      /\s/.test(value)
        ? [`${name} must be an address or a host name, not ${JSON.stringify(value)}`]
        : [],
    ),
    // Listening would tell of another process. 0 is any free one, each time another.
    metricsPort !== undefined && Number(metricsPort) === Number(port) && Number(port) !== 0
      ? ['METRICS_PORT must be another port than PORT']
      : [],
    databaseUrl === undefined ? [] : databaseUrlFaults(databaseUrl),
    ['on', 'off'].includes(migrate)
      ? []
      : [`MIGRATE must be on or off, not ${JSON.stringify(migrate)}`],
    /^[1-9]\d{0,2}$/.test(poolSize) && Number(poolSize) >= MINIMUM_POOL_SIZE
      ? []
      : [
          `POOL_SIZE must be an integer between ${MINIMUM_POOL_SIZE} and 999, not ${JSON.stringify(poolSize)}`,
        ],
    LOG_LEVELS.includes(logLevel)
      ? []
      : [`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, not ${JSON.stringify(logLevel)}`],
    ...corsOrigins.map((origin) =>
      isOrigin(origin) || (origin === '*' && corsOrigins.length === 1)
        ? []
        : [
            `CORS_ORIGINS must be origins such as https://shop.example, or * alone, not ${JSON.stringify(origin)}`,
          ],
    ),
    ['on', 'off'].includes(introspection)
      ? []
      : [`GRAPHQL_INTROSPECTION must be on or off, not ${JSON.stringify(introspection)}`],
    ['also', 'only'].includes(trustedDocuments)
      ? []
      : [`GRAPHQL_TRUSTED_DOCUMENTS must be also or only, not ${JSON.stringify(trustedDocuments)}`],
    ...[
      { name: 'RATE_LIMIT', value: rateLimit },
      { name: 'FAILED_AUTH_LIMIT', value: failedAuthLimit },
    ].map(({ name, value }) =>
      value === 'off' || parsePolicy(value) !== undefined
        ? []
        : [
            `${name} must be a number of requests and of seconds such as 60000/60s, or off, not ${JSON.stringify(value)}`,
          ],
    ),
    ...[
      { name: 'MAX_CONNECTIONS', value: maximumConnections },
      { name: 'MAX_OPEN_REQUESTS', value: maximumOpenRequests },
    ].map(({ name, value }) =>
      /^[1-9]\d{0,6}$/.test(value)
        ? []
        : [`${name} must be an integer between 1 and 9999999, not ${JSON.stringify(value)}`],
    ),
    ...trustedProxies.map((proxy) =>
      isProxy(proxy)
        ? []
        : [
            `TRUSTED_PROXIES must be addresses such as 10.0.0.0/8, or loopback, linklocal or uniquelocal, not ${JSON.stringify(proxy)}`,
          ],
    ),
  ].flat();
  if (faults.length > 0) {
    throw new StartupFailure(faults.join('; '));
  }
  return {
    port: Number(port),
    host,
    metricsPort: metricsPort === undefined ? undefined : Number(metricsPort),
    metricsHost,
    databaseUrl,
    dataDirectory: resolve(environment['DATA_DIR'] || 'data'),
    migrate: migrate === 'on',
    poolSize: Number(poolSize),
    logLevel,
    corsOrigins,
    graphqlIntrospection: introspection === 'on',
    trustedDocumentsOnly: trustedDocuments === 'only',
    tracing: asksForTraces(environment),
    // "off" is no policy either.
    rateLimit: parsePolicy(rateLimit),
    failedAuthLimit: parsePolicy(failedAuthLimit),
    maximumConnections: Number(maximumConnections),
    maximumOpenRequests: Number(maximumOpenRequests),
    trustedProxies,
  };
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
}

/** As a browser writes it into its Origin header: nothing else would ever match. */
function isOrigin(text: string): boolean {
  return /^https?:[^*]*$/.test(text) && URL.parse(text)?.origin === text;
}

/** An address or a CIDR range, or a name that proxy-addr has for some. All addresses at once are no proxy. */
function isProxy(text: string): boolean {
  const [, address = '', bits] = /^([\da-f:.]+)(?:\/([1-9]\d*))?$/i.exec(text) ?? [];
  const version = isIP(address);
  return (
    ['loopback', 'linklocal', 'uniquelocal'].includes(text) ||
    (version !== 0 && Number(bits ?? 1) <= (version === 4 ? 32 : 128))
  );
}

/**
 * Whether one of OpenTelemetry's variables names somewhere for traces to go
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). Without any its SDK
 * would try to reach a collector on this machine.
 */
function asksForTraces(environment: NodeJS.ProcessEnv): boolean {
  const told = (name: string): string => environment[name]?.trim() ?? '';
  const exporters = told('OTEL_TRACES_EXPORTER')
    .split(/[\s,]+/)
    .filter(Boolean);
  const endpoint =
    told('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') || told('OTEL_EXPORTER_OTLP_ENDPOINT');
  return (
    told('OTEL_SDK_DISABLED').toLowerCase() !== 'true' &&
    !exporters.includes('none') &&
    (exporters.length > 0 || endpoint !== '')
  );
}
