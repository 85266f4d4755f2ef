import { outsideRequest } from '@store-gateway/ops';
import type { BackendReaper } from './backend-reaper.ts';
import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import {
  Client,
  DatabaseError,
  escapeIdentifier,
  type Pool,
  type QueryArrayConfig,
  type QueryConfig,
} from 'pg';
import type { ServerRole } from './servers-in-turn.ts';

/** How long a statement may take to end after its cancel request, in milliseconds. */
const CANCEL_TIMEOUT_MS = 500;

/**
 * Replaces the backend reaper behind a pooler. A pooler reports its own process ids, which may match those of unrelated backends.
 * It limits the backends itself, and closes those whose client is gone.
 */
export const poolersReaper: BackendReaper = {
  reap: ({ onGone }) => {
    const timer = outsideRequest(() => setTimeout(onGone, CANCEL_TIMEOUT_MS).unref());
    return () => {
      clearTimeout(timer);
    };
  },
};

/** A connection pooler, which shares PostgreSQL's sessions between its clients. */
export interface Pooler {
  /** Whether a statement that was prepared in one session can be executed in the next. */
  readonly keepsNames: boolean;
}

interface Backend {
  readonly pid: number;
  /** Null on a Unix socket. */
  readonly port: number | null;
  readonly isStandby: boolean;
}

/**
 * Detects whether a session belongs to a pooler: a pooler reports its own process ids, which differ from PostgreSQL's.
 *
 * @throws Error if it is pgpool, which forwards PostgreSQL's process ids
 */
export async function findPooler(session: Client) {
  const { isPooler, isStandby } = await inspect(session);
  const pooler: Pooler | undefined = isPooler
    ? { keepsNames: await supportsNamedStatements(session) }
    : undefined;
  return { pooler, isStandby };
}

/**
 * Opens one of a pool's connections to check that it doesn't lead to a pooler.
 *
 * @throws Error if it does, because a pooler may send each statement to a different server
 */
export async function rejectPooler(pool: Pool): Promise<void> {
  const session = await pool.connect();
  // A pool only handles errors on idle connections. They are ignored here, because the statements fail too.
  session.on('error', () => undefined);
  try {
    if (session instanceof Client && (await inspect(session)).isPooler) {
      throw new Error(
        'it is a pooler, which may connect to a different server each time; bypass it',
      );
    }
  } finally {
    session.release(true);
  }
}

async function inspect(session: Client) {
  const { rows } = await session.query<Backend>(
    'SELECT pg_backend_pid() AS pid, inet_client_port() AS port, pg_is_in_recovery() AS "isStandby"',
  );
  const { pid, port, isStandby } = rows[0] ?? { pid: 0, port: 0, isStandby: false };
  if (pid !== session.processID) {
    return { isPooler: true, isStandby };
  }
  const { stream } = session.connection;
  const ownPort = stream instanceof Socket ? (stream.localPort ?? null) : null;
  if (port !== ownPort && (await isPgpool(session))) {
    throw new Error(
      'it is pgpool, which may send reads to standbys that lag; bypass it, or use PgBouncer',
    );
  }
  return { isPooler: false, isStandby };
}

/** Whether a session belongs to pgpool. Only called behind a proxy, because PostgreSQL would log the parameter as unknown. */
function isPgpool(session: Client): Promise<boolean> {
  return session.query('SHOW pool_version').then(
    () => true,
    (error: unknown) => {
      if (error instanceof DatabaseError) return false;
      throw error;
    },
  );
}

/** Whether a pooler tracks prepared statements. If so, it gives them its own names on the server. */
async function supportsNamedStatements(session: Client): Promise<boolean> {
  const name = `probe_${randomBytes(8).toString('hex')}`;
  // Runs in one transaction, and therefore in one session.
  await session.query('BEGIN');
  await session.query({ name, text: 'SELECT' });
  const { rowCount } = await session.query(
    `SELECT FROM pg_prepared_statements WHERE name = '${name}'`,
  );
  await session.query(rowCount === 0 ? 'COMMIT' : `DEALLOCATE ${escapeIdentifier(name)}; COMMIT`);
  return rowCount === 0;
}

/**
 * Adapts a pool to a pooler, which may assign each transaction to a different session, even on a different server. Statements are
 * named only if the pooler tracks prepared statements. A SELECT for the primary is rewritten to fail on a standby, because no
 * session can be checked beforehand.
 */
export function withoutSession(pool: Pool, { keepsNames }: Pooler, role: ServerRole): Pool {
  const query = (config: string | QueryConfig | QueryArrayConfig, values?: unknown[]): unknown => {
    if (typeof config === 'string') {
      return pool.query(config, values);
    }
    const { name, ...unnamed } = {
      ...config,
      text: role === 'primary' ? onPrimary(config.text) : config.text,
    };
    return pool.query(keepsNames ? { name, ...unnamed } : unnamed, values);
  };
  return new Proxy(pool, {
    get: (target, property): unknown =>
      property === 'query' ? query : Reflect.get(target, property, target),
  });
}

const READ = /^\s*(?:select\b|with\b(?!.*\b(?:insert|update|delete|merge)\b))/is;

/**
 * Makes a read fail on a standby: PostgreSQL evaluates the limit once, before any row, and the function raises 55000 on a
 * standby. Standbys reject writes anyway. https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADMIN-BACKUP
 */
function onPrimary(text: string): string {
  return READ.test(text)
    ? `SELECT * FROM (${text}) AS read LIMIT CASE WHEN pg_current_wal_lsn() IS NULL THEN 0 END`
    : text;
}
