import { Client } from 'pg';
import { StartupFailure } from '@store-gateway/ops';
import { parseDatabaseUrl, serversOf, type DatabaseUrl } from './database-url.ts';

/** SQLSTATE invalid_authorization_specification. */
const INVALID_AUTHORIZATION = '28000';

/** OpenSSL's verification errors, by the names that Node has for them. */
const UNKNOWN_ISSUER = /SELF_SIGNED|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY/;

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
    return 'it requires a password, and none is set';
  }
  // Node adds advice of its own on certificates.
  return error.message.replace(/; if the root CA .*/, '').trim();
}

/** What to set if the server's encryption is not what the URL says; empty for any other error. */
function hintOn(url: string, error: unknown): string {
  if (!(error instanceof Error)) return '';
  const parameters = parseDatabaseUrl(url);
  const given = parameters.get('sslmode');
  const code = 'code' in error ? String(error.code) : '';
  if (/CERT|SIGNATURE/.test(code)) {
    return hintOnCertificate(parameters, code);
  }
  if (error.message.includes('does not support SSL')) {
    return '; sslmode=disable connects without encryption';
  }
  // Of pg_hba.conf, which may only have a line for encrypted connections.
  return 'routine' in error &&
    error.routine === 'ClientAuthentication' &&
    code === INVALID_AUTHORIZATION &&
    (given === undefined || given === 'disable')
    ? '; if the server requires encryption, set sslmode=verify-full'
    : '';
}

/** What to set if the certificate is rejected: libpq checks less with most values of sslmode. */
function hintOnCertificate(parameters: DatabaseUrl, code: string): string {
  const mode = parameters.get('sslmode') ?? 'verify-full';
  if (mode !== 'verify-full' && parameters.get('uselibpqcompat') !== 'true') {
    return `; sslmode=${mode} means verify-full here, and sslrootcert names another CA; uselibpqcompat=true gives it the meaning that it has in libpq`;
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return '; the host name in the URL must be one that the certificate is for';
  }
  return parameters.has('sslrootcert') || !UNKNOWN_ISSUER.test(code)
    ? ''
    : "; sslrootcert must be the file with the certificate of the server's CA";
}
