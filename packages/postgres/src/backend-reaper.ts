import { Client, type ClientConfig } from 'pg';
import { outsideRequest } from '@gateway/log/log';

/** A backend that nobody needs any more and that isn't known to have ended. */
export interface UnneededBackend {
  /** Null if its session had not begun when it was given up: its client is gone then, so it ends by itself. */
  readonly processID: number | null;
  /** By performance.now(): its session had begun by then. */
  readonly begunBy: number;
  /** What its connection was made with. */
  readonly config: ClientConfig | undefined;
  /** Called once the server has told that it is gone. */
  readonly onGone: () => void;
}

export interface BackendReaper {
  /** @returns what stops it: the backend is known to be gone */
  readonly reap: (backend: UnneededBackend) => () => void;
}

/** Milliseconds before each look. */
const INTERVAL_MS = 500;

/**
 * Of how much of an age here a backend has to be by the server's clock, and how many seconds less: clocks differ, and nobody
 * else's backend that has got the same number is nearly as old, where another server took the place of the first.
 */
const AGE_SHARE = 0.99;
const AGE_SLACK = 1;

const TERMINATE = `
  SELECT pid, pg_terminate_backend(pid)
  FROM pg_stat_activity JOIN unnest($1::int[], $2::float8[]) AS unneeded (pid, age) USING (pid)
  WHERE usename = session_user AND application_name = current_setting('application_name')
    AND backend_start <= now() - age * interval '1 second'`;

/**
 * Terminates backends, and finds out when they are gone, on one connection that lives for as long as that takes. It is for
 * those that no cancel request ends, and those that a dead network or a failover has cut off, which TCP alone would take
 * a quarter of an hour to find out.
 */
export function createBackendReaper(): BackendReaper {
  const backends = new Set<UnneededBackend>();
  let timer: NodeJS.Timeout | undefined;

  const schedule = (): void => {
    timer ??= outsideRequest(() => setTimeout(() => void look(), INTERVAL_MS).unref());
  };

  const look = async (): Promise<void> => {
    const asked = [...backends];
    const alive = await terminate(asked).catch(() => undefined);
    timer = undefined;
    for (const backend of alive === undefined ? [] : asked) {
      if (alive?.has(backend.processID) === false && backends.delete(backend)) {
        backend.onGone();
      }
    }
    if (backends.size > 0) {
      schedule();
    }
  };

  return {
    reap: (backend) => {
      backends.add(backend);
      schedule();
      return () => backends.delete(backend);
    },
  };
}

/** Those that were still there. */
async function terminate(backends: readonly UnneededBackend[]): Promise<Set<number | null>> {
  const [first] = backends;
  if (first === undefined) {
    return new Set();
  }
  const client = new Client(first.config);
  client.on('error', () => undefined);
  try {
    const connecting = client.connect();
    client.unref();
    await connecting;
    // The role that sessions are set to may not have the right to end those of the one that logs in.
    await client.query('SET ROLE NONE');
    const begun = backends.filter(({ processID }) => processID !== null);
    const { rows } = await client.query<{ pid: number }>(TERMINATE, [
      begun.map(({ processID }) => processID),
      begun.map(leastAge),
    ]);
    return new Set(rows.map(({ pid }) => pid));
  } finally {
    void client.end();
  }
}

/** Seconds. */
function leastAge({ begunBy }: UnneededBackend): number {
  return ((performance.now() - begunBy) / 1000) * AGE_SHARE - AGE_SLACK;
}
