import { Client, type ClientConfig } from 'pg';
import { outsideRequest } from '@store-gateway/ops';

/** A backend that is no longer needed, and that may still be running. */
export interface UnneededBackend {
  /**
   * The process id; null if the connection was abandoned before its session began. Such a backend ends by itself, because its
   * client is gone.
   */
  readonly processID: number | null;
  /** A `performance.now()` by which its session had begun. */
  readonly begunBy: number;
  readonly config: ClientConfig;
  /** Called when the server has confirmed that the backend is gone. */
  readonly onGone: () => void;
}

/** Ends backends that pools no longer need. All pools of a process can share one. */
export interface BackendReaper extends ReturnType<typeof createBackendReaper> {}

const INTERVAL_MS = 500;

/**
 * The connection timeout of a sweep. It replaces the timeout in a backend's config, which may be the longer startup timeout,
 * because a sweep waits for all its connections.
 */
const CONNECTION_TIMEOUT_MS = 800;

/**
 * The minimum age of a backend by the server's clock: this share of its age by our clock, less a second, because clocks differ.
 * After a failover, an unrelated backend may have the same process id, but it is younger.
 */
const AGE_SHARE = 0.99;
const AGE_SLACK_SECONDS = 1;

const TERMINATE = `
  SELECT pid, pg_terminate_backend(pid)
  FROM pg_stat_activity JOIN unnest($1::int[], $2::float8[]) AS unneeded (pid, age) USING (pid)
  WHERE usename = session_user AND application_name = current_setting('application_name')
    AND backend_start <= now() - age * interval '1 second'`;

/**
 * Terminates backends and checks that they are gone, over one connection to each server at a time. It handles backends that
 * ignore cancel requests, and backends whose connection was cut off by a dead network or a failover, which TCP would only detect
 * after 15 minutes.
 */
export function createBackendReaper() {
  const backends = new Set<UnneededBackend>();
  let timer: NodeJS.Timeout | undefined;

  const schedule = (): void => {
    timer ??= outsideRequest(() => setTimeout(() => void sweep(), INTERVAL_MS).unref());
  };

  const sweep = async (): Promise<void> => {
    const servers = Map.groupBy(backends, ({ config }) => `${config.host} ${config.port}`);
    await Promise.all(servers.values().map(sweepServer));
    timer = undefined;
    if (backends.size > 0) {
      schedule();
    }
  };

  const sweepServer = async (asked: readonly UnneededBackend[]): Promise<void> => {
    try {
      const alive = await terminate(asked);
      for (const backend of asked) {
        if (!alive.has(backend.processID) && backends.delete(backend)) {
          backend.onGone();
        }
      }
    } catch {
      // The server can't be queried: the next sweep tries again.
    }
  };

  return {
    /**
     * Terminates a backend, and calls its `onGone` when the server has confirmed that the backend is gone.
     *
     * @returns a function that makes the reaper forget the backend, to be called when the backend is known to be gone
     */
    reap: (backend: UnneededBackend): (() => void) => {
      backends.add(backend);
      schedule();
      return () => backends.delete(backend);
    },
  };
}

/** @returns the process ids of the backends that still existed */
async function terminate(backends: readonly UnneededBackend[]): Promise<Set<number | null>> {
  const [first] = backends;
  if (first === undefined) {
    return new Set();
  }
  const client = new Client({
    ...first.config,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    const connecting = client.connect();
    client.unref();
    await connecting;
    // The role that sessions switch to may lack the right to terminate the login role's backends.
    await client.query('SET ROLE NONE');
    const begun = backends.filter(({ processID }) => processID !== null);
    const { rows } = await client.query<{ pid: number }>(TERMINATE, [
      begun.map(({ processID }) => processID),
      begun.map(minimumAge),
    ]);
    return new Set(rows.map(({ pid }) => pid));
  } finally {
    void client.end();
  }
}

/** Returns the minimum age of a backend by the server's clock, in seconds. */
function minimumAge({ begunBy }: UnneededBackend): number {
  return ((performance.now() - begunBy) / 1000) * AGE_SHARE - AGE_SLACK_SECONDS;
}
