import { resolve } from 'node:path';
import { StartupFailure } from './startup-failure.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

export interface Config {
  /** TCP port; 0 lets the system choose a free one. */
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  /** URL of a PostgreSQL; without it the service runs its own under `dataDirectory`. */
  readonly databaseUrl: string | undefined;
  /** Absolute path of the folder in which the embedded PostgreSQL lives. */
  readonly dataDirectory: string;
  readonly logLevel: string;
  /** Origins whose pages may use the service from a browser, or '*' alone for all. */
  readonly corsOrigins: readonly string[];
  /** Whether GraphQL clients may ask for the schema. */
  readonly graphqlIntrospection: boolean;
  /** Whether GraphQL runs the operations that have been stored, and no others. */
  readonly trustedDocumentsOnly: boolean;
}

/**
 * Reads and checks the environment; the one place that does. An empty variable counts as unset.
 *
 * @throws StartupFailure that names every fault
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const port = environment['PORT'] || '4000';
  const host = environment['HOST'] || '127.0.0.1';
  const databaseUrl = environment['DATABASE_URL'] || undefined;
  const logLevel = environment['LOG_LEVEL'] || 'info';
  const corsOrigins = (environment['CORS_ORIGINS'] ?? '').split(/[\s,]+/).filter(Boolean);
  const introspection = environment['GRAPHQL_INTROSPECTION'] || 'on';
  const trustedDocuments = environment['GRAPHQL_TRUSTED_DOCUMENTS'] || 'also';

  const faults = [
    isPort(port)
      ? []
      : [`PORT must be an integer between 0 and 65535, not ${JSON.stringify(port)}`],
    /\s/.test(host) ? [`HOST must be an address or a host name, not ${JSON.stringify(host)}`] : [],
    // Its value is not repeated: it holds a password.
    databaseUrl === undefined || isPostgresUrl(databaseUrl)
      ? []
      : ['DATABASE_URL must be a URL such as postgresql://user:password@host:5432/database'],
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
  ].flat();
  if (faults.length > 0) {
    throw new StartupFailure(faults.join('; '));
  }
  return {
    port: Number(port),
    host,
    databaseUrl,
    dataDirectory: resolve(environment['DATA_DIR'] || 'data'),
    logLevel,
    corsOrigins,
    graphqlIntrospection: introspection === 'on',
    trustedDocumentsOnly: trustedDocuments === 'only',
  };
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
}

/** As a browser writes it into its Origin header: nothing else would ever match. */
function isOrigin(text: string): boolean {
  return /^https?:[^*]*$/.test(text) && URL.parse(text)?.origin === text;
}

function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:$/.test(URL.parse(text)?.protocol ?? '');
}
