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
  };
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
}

function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:$/.test(URL.parse(text)?.protocol ?? '');
}
