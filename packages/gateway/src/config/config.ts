import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { parsePublicUrl } from '@gateway/http-server/http/public-url';
import { parsePolicy, type RateLimitPolicy } from '@gateway/rate-limits/policy';
import { itemsOf, VARIABLES } from './variables.ts';

export interface Config {
  /** TCP port; 0 lets the system choose a free one. */
  readonly port: number;
  /** Processes that serve; with 1 it is this one. */
  readonly workers: number;
  /** Milliseconds without a sign of life after which one of several workers is replaced. */
  readonly workerTimeout: number;
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
  /** URL of the same PostgreSQL for migrations, past a pooler. */
  readonly databaseDirectUrl: string | undefined;
  /** URLs of replicas of it, which answer reads. */
  readonly replicaUrls: readonly string[];
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
  if (environment['DATABASE_DIRECT_URL'] && !environment['DATABASE_URL']) {
    faults.push('DATABASE_DIRECT_URL needs a DATABASE_URL');
  }
  if (environment['DATABASE_REPLICA_URLS'] && !environment['DATABASE_URL']) {
    faults.push('DATABASE_REPLICA_URLS needs DATABASE_URL, whose replicas they are');
  }
  if (faults.length > 0) {
    throw new StartupFailure(faults.join('; '));
  }
  return {
    port,
    workers: value('WORKERS') === 'auto' ? availableParallelism() : Number(value('WORKERS')),
    workerTimeout: 1000 * Number(value('WORKER_TIMEOUT')),
    host: value('HOST'),
    publicUrl: parsePublicUrl(value('PUBLIC_URL')),
    metricsPort,
    metricsHost: value('METRICS_HOST'),
    databaseUrl: value('DATABASE_URL') || undefined,
    databaseDirectUrl: value('DATABASE_DIRECT_URL') || undefined,
    replicaUrls: itemsOf(value('DATABASE_REPLICA_URLS'), /\s+/),
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
