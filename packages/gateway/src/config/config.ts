import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { isLoopback, StartupFailure } from '@store-gateway/ops';
import { parseDatabaseUrl } from '@store-gateway/postgres/database-url';
import { parsePolicy } from '@store-gateway/http/limits';

/** Maximum number of database connections per process, unless POOL_SIZE is set. */
export const DEFAULT_POOL_SIZE = 12;

/** One connection for reads, one for writes, and two for key lookups. */
export const MINIMUM_POOL_SIZE = 4;

/** @returns the faults of a variable's value */
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
const isInteger = (value: string, min: number, max: number) =>
  /^\d{1,7}$/.test(value) && Number(value) >= min && Number(value) <= max;
const integer = (min: number, max: number) =>
  mustBe(`an integer between ${min} and ${max}`, (value) => isInteger(value, min, max));
const host = mustBe('an address or a host name', (value) => !/\s/.test(value));
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const logLevel = mustBe(`one of ${LOG_LEVELS.join(', ')}`, (value) => LOG_LEVELS.includes(value));
const fraction = mustBe('a number between 0 and 1 such as 0.01', (value) =>
  /^(?:0(?:\.\d+)?|1)$/.test(value),
);
const limit = mustBe(
  'a number of requests per number of seconds such as 60000/60s, or off',
  (value) => value === 'off' || parsePolicy(value) !== undefined,
);
/** Splits a list at spaces and commas, or at a different separator if its items may contain commas. */
export function itemsOf(list: string, separator = /[\s,]+/): string[] {
  return list.split(separator).filter(Boolean);
}

function checkDatabaseUrl(name: string, value: string): string[] {
  try {
    parseDatabaseUrl(value);
    return [];
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error;
    return [error.message.replace('DATABASE_URL', name)];
  }
}

function checkReplicaUrls(name: string, list: string): string[] {
  return itemsOf(list, /\s+/).flatMap((url) => checkDatabaseUrl(name, url));
}

function checkOrigins(name: string, list: string): string[] {
  const isAll = itemsOf(list).join() === '*';
  const origin = mustBe('origins such as https://shop.example, or * alone', isOrigin);
  return isAll ? [] : each(origin)(name, list);
}

/** Whether a text is an origin exactly as in a browser's Origin header; in any other form, it would never match. */
export function isOrigin(text: string): boolean {
  return /^https?:[^*]*$/.test(text) && URL.parse(text)?.origin === text;
}

/** Whether a text is a token of RFC 9110. `*` is excluded, because it would mean any header. */
function isHeaderName(text: string): boolean {
  return /^[\w!#$%&'+.^`|~-]+$/.test(text);
}

/** An issuer as OpenID Connect defines it. Plain HTTP is allowed only for localhost. */
const issuer = mustBe(
  'an https URL without user, query or fragment such as https://login.example/shop; http only for localhost',
  isIssuer,
);

function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    /^https?:\/\/[^\s?#@]+$/.test(text) &&
    (url.protocol === 'https:' || isLoopback(url))
  );
}

/**
 * Whether a text is an address, a CIDR range, or one of proxy-addr's names for ranges. The range of all addresses is rejected.
 */
function isProxy(text: string): boolean {
  const [, address = '', bits] = /^([\da-f:.]+)(?:\/([1-9]\d*))?$/i.exec(text) ?? [];
  const version = isIP(address);
  return (
    ['loopback', 'linklocal', 'uniquelocal'].includes(text) ||
    (version !== 0 && Number(bits ?? 1) <= (version === 4 ? 32 : 128))
  );
}

/** A setting that is read from an environment variable. */
interface Setting<Value> {
  readonly variable: string;
  /** The value if the variable is unset or empty. */
  readonly fallback: string;
  /** Checks any value except the fallback. */
  readonly check: Check;
  readonly read: (text: string) => Value;
  /** Its description in `--help`. */
  readonly help: (fallback: string) => string;
}

const textOrNone = (text: string) => text || undefined;
const numberOrNone = (text: string) => (text === '' ? undefined : Number(text));
const list = (text: string) => itemsOf(text);
const isOn = (text: string) => text === 'on';

/**
 * Matches an HTTP URL without user name, query and fragment, and without characters that would need escaping in HTML or a Link
 * header.
 */
const FORM = /^https?:\/\/[^/?#@\\"'&<>`]+(?:\/(?:[\w.~/-]|%[\da-f]{2})*)?$/i;

/** Returns the URL at which clients reach the service, without a trailing slash; undefined if the text isn't such a URL. */
function parsePublicUrl(text: string): string | undefined {
  return FORM.test(text) ? URL.parse(text)?.href.replace(/\/+$/, '') : undefined;
}

/** All settings, in the order of the help text. `of` maps each setting to its value. */
function settings(of: <Value>(setting: Setting<Value>) => Value) {
  return {
    /** 0 means any free port. */
    port: of({
      variable: 'PORT',
      fallback: '4000',
      check: integer(0, 65_535),
      read: Number,
      help: (port) => `TCP port, by default ${port}; 0 picks a free port, which the log shows`,
    }),
    host: of({
      variable: 'HOST',
      fallback: '127.0.0.1',
      check: host,
      read: String,
      help: (address) => `address to listen on, by default ${address}`,
    }),
    /** The number of processes that serve requests. If it is 1, this process serves them itself. */
    workers: of({
      variable: 'WORKERS',
      fallback: '1',
      check: mustBe(
        'an integer between 1 and 256, or auto',
        (text) => text === 'auto' || isInteger(text, 1, 256),
      ),
      read: (text) => (text === 'auto' ? availableParallelism() : Number(text)),
      help: (count) =>
        `number of processes that serve requests, by default ${count}, or auto for one per core`,
    }),
    /** The timeout in milliseconds. */
    workerTimeout: of({
      variable: 'WORKER_TIMEOUT',
      fallback: '5',
      check: integer(3, 3600),
      read: (seconds) => 1000 * Number(seconds),
      help: (seconds) =>
        `seconds without a response after which one of several workers is replaced, by default ${seconds}`,
    }),
    /** The service's public URL, without a trailing slash; undefined for relative references. */
    publicUrl: of({
      variable: 'PUBLIC_URL',
      fallback: '',
      check: mustBe(
        'an http or https URL such as https://shop.example/store, without user, query or fragment',
        (text) => parsePublicUrl(text) !== undefined,
      ),
      read: parsePublicUrl,
      help: () =>
        'the URL at which clients reach the service, such as https://shop.example/store: makes links absolute; by default they are relative to the request',
    }),
    databaseUrl: of({
      variable: 'DATABASE_URL',
      fallback: '',
      check: checkDatabaseUrl,
      read: textOrNone,
      help: () => 'the URL of PostgreSQL 14 or newer, instead of the embedded one',
    }),
    databaseDirectUrl: of({
      variable: 'DATABASE_DIRECT_URL',
      fallback: '',
      check: checkDatabaseUrl,
      read: textOrNone,
      help: () =>
        'the URL at which migrations reach that PostgreSQL itself, if DATABASE_URL points to a pooler',
    }),
    replicaUrls: of({
      variable: 'DATABASE_REPLICA_URLS',
      fallback: '',
      check: checkReplicaUrls,
      read: (text) => itemsOf(text, /\s+/),
      help: () =>
        'the URLs of its streaming replicas, which serve reads, separated by spaces; by default none. Reads are never stale',
    }),
    /** An absolute path. */
    dataDirectory: of({
      variable: 'DATA_DIR',
      fallback: 'data',
      check: () => [],
      read: (path) => resolve(path),
      help: (folder) => `folder of the embedded PostgreSQL, by default ${folder}`,
    }),
    migrate: of({
      variable: 'MIGRATE',
      fallback: 'on',
      check: oneOf('on', 'off'),
      read: isOn,
      help: (word) =>
        `on or off, by default ${word}; with off, run npm run migrate first; then a role that only reads and writes rows is enough`,
    }),
    poolSize: of({
      variable: 'POOL_SIZE',
      fallback: String(DEFAULT_POOL_SIZE),
      check: integer(MINIMUM_POOL_SIZE, 999),
      read: Number,
      help: (size) =>
        `maximum database connections, by default ${size}: 2 for key lookups, half of the rest for writes, the others for reads`,
    }),
    metricsPort: of({
      variable: 'METRICS_PORT',
      fallback: '',
      check: integer(0, 65_535),
      read: numberOrNone,
      help: (port) =>
        `TCP port that serves Prometheus metrics at /metrics; by default ${port === '' ? 'none' : port}`,
    }),
    metricsHost: of({
      variable: 'METRICS_HOST',
      fallback: '127.0.0.1',
      check: host,
      read: String,
      help: (address) => `address for metrics, by default ${address}; they don't require a key`,
    }),
    logLevel: of({
      variable: 'LOG_LEVEL',
      fallback: 'info',
      check: logLevel,
      read: String,
      help: (level) => `${LOG_LEVELS.join(', ')}; by default ${level}`,
    }),
    logSample: of({
      variable: 'LOG_SAMPLE',
      fallback: '1',
      check: fraction,
      read: Number,
      help: (share) =>
        `share of requests to log, such as 0.01, by default ${share}; requests that fail or take 1 s or longer are always logged`,
    }),
    maximumConnections: of({
      variable: 'MAX_CONNECTIONS',
      fallback: '4000',
      check: integer(1, 9_999_999),
      read: Number,
      help: (count) => `maximum concurrent connections, by default ${count}`,
    }),
    maximumOpenRequests: of({
      variable: 'MAX_OPEN_REQUESTS',
      fallback: '1000',
      check: integer(1, 9_999_999),
      read: Number,
      help: (count) =>
        `maximum concurrent requests, by default ${count}; further ones get 503. One key may use half of them, requests without a key a tenth`,
    }),
    /** The rate limit of each key; undefined if it is `off`. */
    rateLimit: of({
      variable: 'RATE_LIMIT',
      fallback: '60000/60s',
      check: limit,
      read: parsePolicy,
      help: (policy) =>
        `rate limit per key: size of a burst, and seconds until it has refilled, by default ${policy}; or off`,
    }),
    failedAuthLimit: of({
      variable: 'FAILED_AUTH_LIMIT',
      fallback: '60/60s',
      check: limit,
      read: parsePolicy,
      help: (policy) =>
        `the same for requests with invalid keys, per client address; by default ${policy}; or off`,
    }),
    oidcIssuer: of({
      variable: 'OIDC_ISSUER',
      fallback: '',
      check: issuer,
      read: textOrNone,
      help: () =>
        'an identity provider whose access tokens are accepted in addition to API keys, such as https://login.example/shop; by default none. With it, no first API key is created',
    }),
    oidcAudience: of({
      variable: 'OIDC_AUDIENCE',
      fallback: '',
      check: () => [],
      read: textOrNone,
      help: () => 'the name of this service in the claim aud of those access tokens',
    }),
    oidcClientId: of({
      variable: 'OIDC_CLIENT_ID',
      fallback: '',
      check: () => [],
      read: textOrNone,
      help: () =>
        'the id of the OAuth client with which people sign in on the web pages; by default there is no sign-in',
    }),
    trustedProxies: of({
      variable: 'TRUSTED_PROXIES',
      fallback: '',
      check: each(
        mustBe('addresses such as 10.0.0.0/8, or loopback, linklocal or uniquelocal', isProxy),
      ),
      read: list,
      help: () =>
        'proxies whose X-Forwarded-For is trusted, such as 10.0.0.0/8 or loopback, separated by commas; by default none',
    }),
    corsOrigins: of({
      variable: 'CORS_ORIGINS',
      fallback: '',
      check: checkOrigins,
      read: list,
      help: () =>
        'origins whose web pages may call the API, such as https://shop.example, separated by commas, or * for all; by default none',
    }),
    corsHeaders: of({
      variable: 'CORS_HEADERS',
      fallback: '',
      check: each(mustBe('names of headers such as X-Tenant', isHeaderName)),
      read: list,
      help: () =>
        'further request headers that those pages may send, such as X-Tenant, separated by commas',
    }),
    graphqlIntrospection: of({
      variable: 'GRAPHQL_INTROSPECTION',
      fallback: 'on',
      check: oneOf('on', 'off'),
      read: isOn,
      help: (word) => `on or off, by default ${word}; off hides GraphQL's schema`,
    }),
    trustedDocumentsOnly: of({
      variable: 'GRAPHQL_TRUSTED_DOCUMENTS',
      fallback: 'also',
      check: oneOf('also', 'only'),
      read: (text) => text === 'only',
      help: (word) =>
        `also or only, by default ${word}; only restricts GraphQL to trusted documents: see npm run documents -- --help`,
    }),
  };
}

/** The value of each setting, and whether OpenTelemetry's variables turn traces on. */
export type Config = Readonly<ReturnType<typeof settings>> & { readonly tracing: boolean };

/** All settings, keyed by variable, in the order of the help text. */
export const SETTINGS: ReadonlyMap<string, Setting<unknown>> = all();

/** The environment variables that are settings of the gateway. */
export const VARIABLE_NAMES: ReadonlySet<string> = new Set(SETTINGS.keys());

function all(): Map<string, Setting<unknown>> {
  const found = new Map<string, Setting<unknown>>();
  settings((setting) => {
    found.set(setting.variable, setting);
    return setting.read(setting.fallback);
  });
  return found;
}

/** @returns the faults of values, which are keyed by variable; an empty value counts as unset */
export function faultsOf(values: NodeJS.ProcessEnv): string[] {
  return [...SETTINGS.values()].flatMap(({ variable, check }) => {
    const value = values[variable];
    return value ? check(variable, value) : [];
  });
}

/**
 * Reads and validates the environment. No other function reads settings. An empty variable counts as unset.
 *
 * @throws StartupFailure that names every fault
 */
export function readConfig(
  environment: NodeJS.ProcessEnv,
  defaults: NodeJS.ProcessEnv = {},
): Config {
  const config = {
    ...settings(({ variable, fallback, read }) =>
      read(environment[variable] || defaults[variable] || fallback),
    ),
    tracing: isTracingConfigured(environment),
  };
  const faults = faultsOf(environment);
  const { port, metricsPort, databaseUrl, databaseDirectUrl, replicaUrls } = config;
  // Otherwise, listening would fail with a message that blames a different process. Two settings of 0 are assigned different
  // ports.
  if (metricsPort === port && port !== 0) {
    faults.push('METRICS_PORT and PORT must be different');
  }
  if (databaseDirectUrl !== undefined && databaseUrl === undefined) {
    faults.push('DATABASE_DIRECT_URL requires DATABASE_URL');
  }
  if (replicaUrls.length > 0 && databaseUrl === undefined) {
    faults.push('DATABASE_REPLICA_URLS requires DATABASE_URL, the URL of their primary');
  }
  const { oidcIssuer, oidcAudience, oidcClientId } = config;
  if (oidcIssuer !== undefined && oidcAudience === undefined) {
    faults.push(
      'OIDC_ISSUER requires OIDC_AUDIENCE: without it, tokens for other services would be valid',
    );
  }
  if (oidcAudience !== undefined && oidcIssuer === undefined) {
    faults.push('OIDC_AUDIENCE requires OIDC_ISSUER');
  }
  if (oidcClientId !== undefined && oidcIssuer === undefined) {
    faults.push('OIDC_CLIENT_ID requires OIDC_ISSUER');
  }
  if (faults.length > 0) {
    throw new StartupFailure(faults.join('; '));
  }
  return config;
}

/**
 * Whether OpenTelemetry's variables name a destination for traces
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). Without one, OpenTelemetry's SDK would
 * send them to a collector on this machine.
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

/**
 * Finds variables that look like misspelled settings: one character is different, missing or extra, or two neighbours are
 * swapped.
 */
export function misspelledVariables(
  environment: NodeJS.ProcessEnv,
): { readonly variable: string; readonly setting: string }[] {
  return Object.keys(environment).flatMap((variable) => {
    const setting = VARIABLE_NAMES.has(variable)
      ? undefined
      : [...VARIABLE_NAMES].find((name) => isNear(variable, name));
    return setting === undefined ? [] : [{ variable, setting }];
  });
}

function isNear(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) {
    start += 1;
  }
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) {
    end += 1;
  }
  const left = one.slice(start, one.length - end);
  const right = other.slice(start, other.length - end);
  return (
    (left.length <= 1 && right.length <= 1) ||
    (left.length === 2 && left === `${right[1] ?? ''}${right[0] ?? ''}`)
  );
}
