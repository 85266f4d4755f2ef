import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { parsePublicUrl, PUBLIC_URL_FORM } from '@gateway/http-server/http/public-url';
import { parseDatabaseUrl } from '@gateway/postgres/database-url';
import { parsePolicy, type RateLimitPolicy } from '@gateway/rate-limits/policy';
import { DEFAULT_POOL_SIZE, MINIMUM_POOL_SIZE } from './database/pool-size.ts';

export interface Config {
  /** TCP port; 0 lets the system choose a free one. */
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  /** Where clients reach the service, without a slash at the end; undefined for relative references. */
  readonly publicUrl: string | undefined;
  /** TCP port for metrics; undefined for none. 0 lets the system choose a free one. */
  readonly metricsPort: number | undefined;
  /** Address to serve metrics on, without authentication. */
  readonly metricsHost: string;
  /** URL of a PostgreSQL; without it the service runs an embedded one in `dataDirectory`. */
  readonly databaseUrl: string | undefined;
  /** Absolute path of the embedded PostgreSQL's folder. */
  readonly dataDirectory: string;
  /** Whether a start applies missing migrations; otherwise it expects that there are none. */
  readonly migrate: boolean;
  /** Maximum of connections to the database. */
  readonly poolSize: number;
  readonly logLevel: string;
  /** Origins whose pages may call the service from a browser, or '*' alone for all. */
  readonly corsOrigins: readonly string[];
  readonly graphqlIntrospection: boolean;
  /** Whether GraphQL runs trusted documents only. */
  readonly trustedDocumentsOnly: boolean;
  /** Whether requests are traced; OpenTelemetry's SDK reads its own variables. */
  readonly tracing: boolean;
  /** Of each key; undefined for none. */
  readonly rateLimit: RateLimitPolicy | undefined;
  /** Of requests with invalid keys, for each client address; undefined for none. */
  readonly failedAuthLimit: RateLimitPolicy | undefined;
  readonly maximumConnections: number;
  readonly maximumOpenRequests: number;
  /** Addresses, CIDR ranges, and names of ranges, whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
}

/** @returns what is wrong with the value of a variable */
type Check = (name: string, value: string) => string[];

const mustBe =
  (expected: string, isValid: (value: string) => boolean): Check =>
  (name, value) =>
    isValid(value) ? [] : [`${name} must be ${expected}, not ${JSON.stringify(value)}`];

const each =
  (check: Check): Check =>
  (name, list) =>
    itemsOf(list).flatMap((item) => check(name, item));

const oneOf = (...values: string[]) =>
  mustBe(values.join(' or '), (value) => values.includes(value));
const integer = (min: number, max: number) =>
  mustBe(
    `an integer between ${min} and ${max}`,
    (value) => /^\d{1,7}$/.test(value) && Number(value) >= min && Number(value) <= max,
  );
const host = mustBe('an address or a host name', (value) => !/\s/.test(value));
const limit = mustBe(
  'a number of requests and of seconds such as 60000/60s, or off',
  (value) => value === 'off' || parsePolicy(value) !== undefined,
);
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** The default of each environment variable, and the check of any other value. */
const VARIABLES = {
  PORT: ['4000', integer(0, 65_535)],
  METRICS_PORT: ['', integer(0, 65_535)],
  HOST: ['127.0.0.1', host],
  METRICS_HOST: ['127.0.0.1', host],
  DATABASE_URL: ['', checkDatabaseUrl],
  DATA_DIR: ['data', () => []],
  MIGRATE: ['on', oneOf('on', 'off')],
  POOL_SIZE: [String(DEFAULT_POOL_SIZE), integer(MINIMUM_POOL_SIZE, 999)],
  LOG_LEVEL: [
    'info',
    mustBe(`one of ${LOG_LEVELS.join(', ')}`, (value) => LOG_LEVELS.includes(value)),
  ],
  PUBLIC_URL: ['', mustBe(PUBLIC_URL_FORM, (value) => parsePublicUrl(value) !== undefined)],
  CORS_ORIGINS: ['', checkOrigins],
  GRAPHQL_INTROSPECTION: ['on', oneOf('on', 'off')],
  GRAPHQL_TRUSTED_DOCUMENTS: ['also', oneOf('also', 'only')],
  RATE_LIMIT: ['60000/60s', limit],
  FAILED_AUTH_LIMIT: ['60/60s', limit],
  MAX_CONNECTIONS: ['4000', integer(1, 9_999_999)],
  MAX_OPEN_REQUESTS: ['1000', integer(1, 9_999_999)],
  TRUSTED_PROXIES: [
    '',
    each(mustBe('addresses such as 10.0.0.0/8, or loopback, linklocal or uniquelocal', isProxy)),
  ],
} as const satisfies Record<string, readonly [fallback: string, check: Check]>;

export const VARIABLE_NAMES: ReadonlySet<string> = new Set(Object.keys(VARIABLES));

/**
 * Reads and checks the environment; the one place that does. An empty variable counts as unset.
 *
 * @throws StartupFailure that names every fault
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const value = (name: keyof typeof VARIABLES) => environment[name] || VARIABLES[name][0];
  const port = Number(value('PORT'));
  const metricsPort = value('METRICS_PORT') === '' ? undefined : Number(value('METRICS_PORT'));
  const faults = Object.entries(VARIABLES).flatMap(([name, [, check]]) =>
    environment[name] ? check(name, environment[name]) : [],
  );
  // Listening would fail with a message on another process. 0 is any free port, each time another.
  if (metricsPort === port && port !== 0) {
    faults.push('METRICS_PORT must be another port than PORT');
  }
  if (faults.length > 0) {
    throw new StartupFailure(faults.join('; '));
  }
  return {
    port,
    host: value('HOST'),
    publicUrl: parsePublicUrl(value('PUBLIC_URL')),
    metricsPort,
    metricsHost: value('METRICS_HOST'),
    databaseUrl: value('DATABASE_URL') || undefined,
    dataDirectory: resolve(value('DATA_DIR')),
    migrate: value('MIGRATE') === 'on',
    poolSize: Number(value('POOL_SIZE')),
    logLevel: value('LOG_LEVEL'),
    corsOrigins: itemsOf(value('CORS_ORIGINS')),
    graphqlIntrospection: value('GRAPHQL_INTROSPECTION') === 'on',
    trustedDocumentsOnly: value('GRAPHQL_TRUSTED_DOCUMENTS') === 'only',
    tracing: isTracingConfigured(environment),
    // "off" is no policy either.
    rateLimit: parsePolicy(value('RATE_LIMIT')),
    failedAuthLimit: parsePolicy(value('FAILED_AUTH_LIMIT')),
    maximumConnections: Number(value('MAX_CONNECTIONS')),
    maximumOpenRequests: Number(value('MAX_OPEN_REQUESTS')),
    trustedProxies: itemsOf(value('TRUSTED_PROXIES')),
  };
}

function itemsOf(list: string): string[] {
  return list.split(/[\s,]+/).filter(Boolean);
}

function checkDatabaseUrl(_name: string, value: string): string[] {
  try {
    parseDatabaseUrl(value);
    return [];
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error;
    return [error.message];
  }
}

function checkOrigins(name: string, list: string): string[] {
  const isAll = itemsOf(list).join() === '*';
  const origin = mustBe('origins such as https://shop.example, or * alone', isOrigin);
  return isAll ? [] : each(origin)(name, list);
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
 * Whether OpenTelemetry's variables name somewhere for traces to go
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). Its SDK would otherwise try a
 * collector on this machine.
 */
function isTracingConfigured(environment: NodeJS.ProcessEnv): boolean {
  const trimmed = (name: string): string => environment[name]?.trim() ?? '';
  const exporters = itemsOf(trimmed('OTEL_TRACES_EXPORTER'));
  const endpoint =
    trimmed('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') || trimmed('OTEL_EXPORTER_OTLP_ENDPOINT');
  return (
    trimmed('OTEL_SDK_DISABLED').toLowerCase() !== 'true' &&
    !exporters.includes('none') &&
    (exporters.length > 0 || endpoint !== '')
  );
}
