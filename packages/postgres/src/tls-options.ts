import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { StartupFailure } from '@gateway/errors/startup-failure';
import type { DatabaseUrl } from './database-url.ts';

const FILES = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const;

/**
 * How the connections are encrypted; undefined where the URL doesn't say. All modes but disable and no-verify are
 * verify-full, unless uselibpqcompat asks for what they mean to libpq.
 *
 * @throws StartupFailure if a file can't be read
 */
export function tlsOptions(url: DatabaseUrl): boolean | ConnectionOptions | undefined {
  const mode = modeOf(url);
  if (mode === undefined) {
    return undefined;
  }
  if (mode === 'disable') {
    return false;
  }
  const options: ConnectionOptions = {};
  for (const [parameter, option] of Object.entries(FILES)) {
    const file = url.get(parameter);
    // To libpq the CAs of the system; here those that Node trusts, as without the parameter.
    if (file !== undefined && file !== 'system') {
      options[option] = contentOf(parameter, file);
    }
  }
  if (mode === 'no-verify') {
    options.rejectUnauthorized = false;
  }
  if (mode === 'verify-ca') {
    options.checkServerIdentity = () => undefined;
  }
  return options;
}

type Mode = 'disable' | 'no-verify' | 'verify-ca' | 'verify-full';

function modeOf(url: DatabaseUrl): Mode | undefined {
  // PostgreSQL has no TLS there, and libpq asks for none.
  if (url.get('host')?.startsWith('/') === true) {
    return 'disable';
  }
  const mode = url.get('sslmode') ?? modeOfSsl(url.get('ssl'));
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

/** As drivers of other languages spell it. */
function modeOfSsl(ssl: string | undefined): string | undefined {
  switch (ssl) {
    case 'true':
    case '1':
      return 'require';
    case 'false':
    case '0':
      return 'disable';
    default:
      return ssl;
  }
}

/** https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-PROTECTION, but that nothing goes on unencrypted. */
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
