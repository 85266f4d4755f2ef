import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { StartupFailure } from '@store-gateway/ops';
import type { DatabaseUrl } from './database-url.ts';

const FILES = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const;

/**
 * How connections to a host are encrypted; undefined where the URL doesn't say. Every mode but disable and no-verify is
 * verify-full, unless uselibpqcompat asks for what it means to libpq.
 *
 * @throws StartupFailure if a file can't be read
 */
export function tlsOptions(
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
    // To libpq "system" is the system's CAs; here it is those of Node, the default.
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

/** As drivers of other languages spell it. */
const MODES_OF_SSL = new Map([
  ['true', 'require'],
  ['1', 'require'],
  ['false', 'disable'],
  ['0', 'disable'],
  ['no-verify', 'no-verify'],
]);

type Mode = 'disable' | 'no-verify' | 'verify-ca' | 'verify-full';

function modeOf(url: DatabaseUrl, host: string | undefined): Mode | undefined {
  // PostgreSQL has no TLS on a Unix socket, and libpq asks for none.
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

/** https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-PROTECTION, but never unencrypted. */
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
    throw new StartupFailure(`DATABASE_URL: the file of ${parameter} cannot be read: ${reason}`, {
      cause: error,
    });
  }
}
