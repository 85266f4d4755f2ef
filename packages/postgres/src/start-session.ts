import { StartupFailure } from '@store-gateway/ops';
import { Socket } from 'node:net';
import { Client, type ClientConfig, DatabaseError } from 'pg';
import { connectionOptions, warnOfPlaintext } from './connection-options.ts';
import { type DatabaseUrl, parseDatabaseUrl, serversOf } from './database-url.ts';
import { findPooler, type Pooler } from './pooler.ts';
import { mayWorkElsewhere, serverOrder, UnsuitableServerError } from './servers-in-turn.ts';

/**
 * The timeout for each of several servers. It is shorter than for a single server, because the next server may respond
 * immediately.
 */
const ONE_OF_SEVERAL_TIMEOUT_MS = 5000;

/** How a session is opened and prepared. */
interface StartSessionOptions<Session> {
  /** The connection's name on the server, unless the URL contains a name. */
  readonly applicationName: string;
  /** Prepares the session, within the same timeout. */
  readonly prepare: (session: Client, pooler: Pooler | undefined) => Promise<Session>;
  /** Aborts the attempt. */
  readonly stopped?: AbortSignal | undefined;
}

/**
 * Opens a session for startup work on the first server of `url` that accepts it. Its timeouts are longer than those of
 * requests.
 *
 * @throws the server's error, or an Error if it did not respond; if several servers were tried, an Error with all reasons
 */
export async function openStartSession<Session>(
  url: string,
  options: StartSessionOptions<Session>,
): Promise<Session> {
  const servers = connectionOptions(url);
  const timeout = servers.length === 1 ? START_TIMEOUT_MS : ONE_OF_SEVERAL_TIMEOUT_MS;
  const order = serverOrder(servers);
  const failures: unknown[] = [];
  for (const index of order.indexes()) {
    try {
      const session = await openOn(servers[index], timeout, options).catch((error: unknown) => {
        if (!mayRejectSettings(error)) throw error;
        return openOn(connectionOptions(url, 'none')[index], timeout, options);
      });
      order.connected(index);
      return session;
    } catch (error) {
      // The server was reached, but can't be used.
      if (error instanceof StartupFailure) throw error;
      failures.push(error);
      if (options.stopped?.aborted === true || !mayWorkElsewhere(error)) break;
    }
  }
  const [cause] = failures;
  throw failures.length === 1
    ? cause
    : new Error([...new Set(failures.map(reasonOf))].join('; '), { cause });
}

/**
 * Whether the session settings may be the reason for an error: PgBouncer rejects them as a protocol violation (08P01), and
 * providers' proxies as an unsupported feature (0A000).
 */
function mayRejectSettings(error: unknown): boolean {
  return error instanceof DatabaseError && ['08P01', '0A000'].includes(error.code ?? '');
}

async function openOn<Session>(
  config: ClientConfig | undefined,
  timeoutMs: number,
  { applicationName, prepare, stopped }: StartSessionOptions<Session>,
): Promise<Session> {
  const socket = new Socket();
  // Destroying the socket is the only way to abort a connection attempt.
  const session = new Client({
    ...config,
    fallback_application_name: applicationName,
    keepAlive: true,
    stream: () => socket,
  });
  // If the connection is lost between two queries, the next query fails.
  session.on('error', () => undefined);
  const giveUp = () => socket.destroy();
  let isLate = false;
  const timeout = setTimeout(() => {
    isLate = true;
    giveUp();
  }, timeoutMs);
  stopped?.addEventListener('abort', giveUp);
  try {
    stopped?.throwIfAborted();
    await session.connect();
    warnOfPlaintext(socket, session.connection.stream);
    const { pooler, isStandby } = await findPooler(session);
    if (isStandby) {
      throw new UnsuitableServerError('in_hot_standby');
    }
    return await prepare(session, pooler);
  } catch (error) {
    socket.destroy();
    throw isLate
      ? new Error(`it did not respond within ${timeoutMs / 1000} s`, { cause: error })
      : error;
  } finally {
    clearTimeout(timeout);
    stopped?.removeEventListener('abort', giveUp);
  }
}

/** SQLSTATE invalid_authorization_specification. */
const INVALID_AUTHORIZATION = '28000';

/** Matches Node's codes for OpenSSL's errors about unknown certificate issuers. */
const UNKNOWN_ISSUER = /SELF_SIGNED|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY/;

/** Timeout for a connection, and for each query, during startup. It is generous, because the machine may be busy. */
export const START_TIMEOUT_MS = 30_000;

/**
 * Returns the failure to report when the database of `url` can't be used. It names the host, never the password.
 *
 * @param error the thrown error, or the reason in words
 * @param variable the environment variable with the URL
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

/** Returns the host and port, or the socket's folder, of each server in a URL. */
export function addressOf(url: string): string {
  const addresses = serversOf(parseDatabaseUrl(url)).map((server) => {
    // node-postgres has defaults for the parts that the URL omits.
    const { host, port } = new Client({ ...server });
    if (host.startsWith('/')) return host;
    return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  });
  return addresses.join(' or ');
}

/** Returns a description of why a connection failed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A host name with several addresses fails with an AggregateError, whose message is empty.
  if (error.message === '' && 'code' in error) return String(error.code);
  if (error.message.includes('client password must be a')) {
    return 'it requires a password, and none is set';
  }
  // Node appends its own advice on certificates.
  return error.message.replace(/; if the root CA .*/, '').trim();
}

/** Returns a hint that names the parameter to set after an encryption error; empty for other errors. */
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
  // A rejection by pg_hba.conf, which may allow only encrypted connections.
  return 'routine' in error &&
    error.routine === 'ClientAuthentication' &&
    code === INVALID_AUTHORIZATION &&
    (given === undefined || given === 'disable')
    ? '; if the server requires encryption, set sslmode=verify-full'
    : '';
}

/**
 * Returns a hint that names the parameter to set after a certificate was rejected. With most values of sslmode, libpq checks
 * less.
 */
function hintOnCertificate(parameters: DatabaseUrl, code: string): string {
  const mode = parameters.get('sslmode') ?? 'verify-full';
  if (mode !== 'verify-full' && parameters.get('uselibpqcompat') !== 'true') {
    return `; sslmode=${mode} means verify-full here: set sslrootcert to trust a different CA, or uselibpqcompat=true to give sslmode its libpq meaning`;
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return '; the certificate must be valid for the host name in the URL';
  }
  return parameters.has('sslrootcert') || !UNKNOWN_ISSUER.test(code)
    ? ''
    : "; sslrootcert must name the file with the certificate of the server's CA";
}
