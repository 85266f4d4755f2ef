import { Client } from 'pg';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { parseDatabaseUrl } from './database-url.ts';

/**
 * Milliseconds that a start waits for a connection, and for what it asks of the database before it serves. A machine on
 * which much starts at once is slow, which is no reason to give up: nobody waits for an answer yet.
 */
export const START_TIMEOUT_MS = 30_000;

/** That the database of `url` can't be used: names its host, never the password. */
export function connectionFailure(url: string, error: unknown): StartupFailure {
  return new StartupFailure(
    `The database at ${addressOf(url)} (DATABASE_URL) cannot be used: ${reasonOf(error)}${hintOn(url, error)}.`,
    {
      cause: error,
    },
  );
}

/** Host and port, or the folder of the socket. */
export function addressOf(url: string): string {
  const named = parseDatabaseUrl(url);
  // For what the URL leaves out node-postgres has defaults.
  const { host, port } = new Client({ host: named.get('host'), port: Number(named.get('port')) });
  if (host.startsWith('/')) {
    return host;
  }
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A host name with several addresses fails with an AggregateError, whose message is empty.
  if (error.message === '' && 'code' in error) return String(error.code);
  if (error.message.includes('client password must be a')) {
    return 'it asks for a password, and there is none';
  }
  // Node goes on with advice of its own to those whose certificates it refuses.
  return error.message.replace(/; if the root CA .*/, '').trim();
}

/** For who expects of a certificate what it is to libpq, which may not look at it at all. */
function hintOn(url: string, error: unknown): string {
  const parameters = parseDatabaseUrl(url);
  const mode = parameters.get('sslmode') ?? 'verify-full';
  const isOfCertificate =
    error instanceof Error && 'code' in error && /CERT|SIGNATURE/.test(String(error.code));
  return isOfCertificate && mode !== 'verify-full' && parameters.get('uselibpqcompat') !== 'true'
    ? `; sslmode=${mode} is verify-full here: sslrootcert names another authority, and uselibpqcompat=true has it mean what it does to libpq`
    : '';
}
