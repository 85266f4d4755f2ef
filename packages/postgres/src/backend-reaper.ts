import { Client, type ClientConfig } from 'pg';
import { outsideRequest } from '@store-gateway/ops';

/** A backend that is no longer needed and not known to have ended. */
export interface UnneededBackend {
  /** Null if its session had not begun when it was given up: its client is gone, so it ends by itself. */
  readonly processID: number | null;
  /** A performance.now() by which its session had begun. */
  readonly begunBy: number;
  readonly config: ClientConfig;
  /** Called once the server has said that it is gone. */
  readonly onGone: () => void;
}

/** What ends backends that pools no longer need; one is enough for all pools of a process. */
export interface BackendReaper extends ReturnType<typeof createBackendReaper> {}

const INTERVAL_MS = 500;

/** For connecting. A backend's own config may have the long timeout of a start, and a sweep waits for all its connections. */
const CONNECTION_TIMEOUT_MS = 800;

/**
 * How old a backend has to be by the server's clock: this share of its age here, less some seconds, because clocks
 * differ. After a failover another's backend may have the same number, but it is younger.
 */
const AGE_SHARE = 0.99;
const AGE_SLACK_SECONDS = 1;

const TERMINATE = `
  SELECT pid, pg_terminate_backend(pid)
  FROM pg_stat_activity JOIN unnest($1::int[], $2::float8[]) AS unneeded (pid, age) USING (pid)
  WHERE usename = session_user AND application_name = current_setting('application_name')
    AND backend_start <= now() - age * interval '1 second'`;

/**
 * Terminates backends and finds out when they are gone, over one connection to each server at a time. It is for backends that no
 * cancel request ends, or that were cut off by a dead network or a failover, which TCP would notice after a quarter of an hour.
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
      // The server can't be asked: the next sweep tries again.
    }
  };

  return {
    /**
     * Terminates a backend, and calls its `onGone` once the server has confirmed that.
     *
     * @returns stops the reaper, for a backend that is known to be gone
     */
    reap: (backend: UnneededBackend): (() => void) => {
      backends.add(backend);
      schedule();
      return () => backends.delete(backend);
    },
  };
}

/** @returns the numbers of those that were still there */
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
    // The role that sessions are set to may lack the right to end those of the one that logs in.
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

/** In seconds. */
function minimumAge({ begunBy }: UnneededBackend): number {
  return ((performance.now() - begunBy) / 1000) * AGE_SHARE - AGE_SLACK_SECONDS;
}
