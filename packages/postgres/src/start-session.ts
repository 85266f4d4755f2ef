import { StartupFailure } from '@store-gateway/ops';
import { Socket } from 'node:net';
import { Client, type ClientConfig, DatabaseError } from 'pg';
import { connectionOptions, warnOfPlaintext } from './connection-options.ts';
import { type DatabaseUrl, parseDatabaseUrl, serversOf } from './database-url.ts';
import { findPooler, type Pooler } from './pooler.ts';
import { mayBeAnothers, serverOrder, UnsuitableServerError } from './servers-in-turn.ts';

/** The next one may answer at once. */
const ONE_OF_SEVERAL_TIMEOUT_MS = 5000;

/** How a session is opened and prepared. */
interface StartSessionOptions<Session> {
  /** The connection's name on the server, unless the URL has another. */
  readonly applicationName: string;
  /** Prepares the session, within the same time. */
  readonly prepare: (session: Client, pooler: Pooler | undefined) => Promise<Session>;
  /** Gives up. */
  readonly stopped?: AbortSignal | undefined;
}

/**
 * Opens a session with the timeout of a start, on the first server of `url` that takes it.
 *
 * @throws what it was refused with, or that there was no answer; where there are several servers, by each of them
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
        if (!mayRefuseSettings(error)) throw error;
        return openOn(connectionOptions(url, 'none')[index], timeout, options);
      });
      order.connected(index);
      return session;
    } catch (error) {
      // The server was reached, and isn't fit for use.
      if (error instanceof StartupFailure) throw error;
      failures.push(error);
      if (options.stopped?.aborted === true || !mayBeAnothers(error)) break;
    }
  }
  const [cause] = failures;
  throw failures.length === 1
    ? cause
    : new Error([...new Set(failures.map(reasonOf))].join('; '), { cause });
}

/**
 * Whether the parameters may be why: to PgBouncer they are a violation of the protocol (08P01), and to providers' proxies
 * a feature that they don't have (0A000).
 */
function mayRefuseSettings(error: unknown): boolean {
  return error instanceof DatabaseError && ['08P01', '0A000'].includes(error.code ?? '');
}

async function openOn<Session>(
  config: ClientConfig | undefined,
  timeoutMs: number,
  { applicationName, prepare, stopped }: StartSessionOptions<Session>,
): Promise<Session> {
  const socket = new Socket();
  // There is no other way to give up a connection that is being made.
  const session = new Client({
    ...config,
    fallback_application_name: applicationName,
    keepAlive: true,
    stream: () => socket,
  });
  // A connection lost between two queries is reported by the next one.
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
function reasonOf(error: unknown): string {
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
