import { Client, type ClientConfig } from 'pg';
import { onNobodysBehalf } from '../log.ts';

/** A backend that nobody needs any more and that isn't known to have ended. */
export interface UnneededBackend {
  /** Null if its session had not begun when it was given up: its client is gone then, so it ends by itself. */
  readonly processID: number | null;
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

/** The name keeps it from backends of somebody else that have got these numbers, on a server that took the place of the first. */
const TERMINATE = `
  SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE pid = ANY ($1::int[]) AND usename = session_user
    AND application_name = current_setting('application_name')`;

/**
 * Terminates backends, and finds out when they are gone, on one connection that lives for as long as that takes. It is for
 * those that no cancel request ends, and those that a dead network or a failover has cut off, which TCP alone would take
 * a quarter of an hour to find out.
 */
export function createBackendReaper(): BackendReaper {
  const backends = new Set<UnneededBackend>();
  let timer: NodeJS.Timeout | undefined;

  const schedule = (): void => {
    timer ??= onNobodysBehalf(() => setTimeout(() => void look(), INTERVAL_MS).unref());
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
    const { rows } = await client.query<{ pid: number }>(TERMINATE, [
      backends.map(({ processID }) => processID).filter((id) => id !== null),
    ]);
    return new Set(rows.map(({ pid }) => pid));
  } finally {
    void client.end();
  }
}
