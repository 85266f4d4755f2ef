import { Client } from 'pg';
import { StartupFailure } from '@store-gateway/errors/startup-failure';
import { parseDatabaseUrl, serversOf } from './database-url.ts';

/** Timeout of a connection, and of each query, before the process serves: generous, for a machine that is busy starting. */
export const START_TIMEOUT_MS = 30_000;

/**
 * The database of `url` can't be used: names its host, never the password.
 *
 * @param error what was thrown, or the reason in words
 * @param variable that has the URL
 */
export function connectionFailure(
  url: string,
  error: unknown,
  variable = 'DATABASE_URL',
): StartupFailure {
  return new StartupFailure(
    `The database at ${addressOf(url)} (${variable}) cannot be used: ${reasonOf(error)}${hintOn(url, error)}.`,
    { cause: error },
  );
}

/** Host and port, or the folder of the socket; of all servers, if there are several. */
export function addressOf(url: string): string {
  const addresses = serversOf(parseDatabaseUrl(url)).map((server) => {
    // node-postgres has defaults for what the URL leaves out.
    const { host, port } = new Client({ ...server });
    if (host.startsWith('/')) return host;
    return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  });
  return addresses.join(' or ');
}

/** Why a connection can't be made, in words. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A host name with several addresses fails with an AggregateError, whose message is empty.
  if (error.message === '' && 'code' in error) return String(error.code);
  if (error.message.includes('client password must be a')) {
    return 'it asks for a password, and none is set';
  }
  // Node adds advice of its own on certificates.
  return error.message.replace(/; if the root CA .*/, '').trim();
}

/** For those who expect of sslmode what it means to libpq, which may not check the certificate at all. */
function hintOn(url: string, error: unknown): string {
  const isOfCertificate =
    error instanceof Error && 'code' in error && /CERT|SIGNATURE/.test(String(error.code));
  const parameters = parseDatabaseUrl(url);
  const mode = parameters.get('sslmode') ?? 'verify-full';
  return isOfCertificate && mode !== 'verify-full' && parameters.get('uselibpqcompat') !== 'true'
    ? `; sslmode=${mode} means verify-full here, and sslrootcert names another authority; uselibpqcompat=true gives it the meaning that it has in libpq`
    : '';
}
