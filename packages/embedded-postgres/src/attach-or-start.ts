import { setTimeout } from 'node:timers/promises';
import type { Client } from 'pg';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { attach } from './attach.ts';
import type { Cluster } from './cluster.ts';
import { isServed, type StartedServer, startServer } from './server.ts';

/** Milliseconds for a server to be ready, recovery after a crash included. */
const patience = 30_000;
const startsTried = 3;

/**
 * Becomes a member of the cluster's server, which is started when it is down.
 * @param signal gives up, and stops what it was starting
 * @param meanwhile called when the server has been launched and is yet to be ready
 * @returns the connection that holds the membership
 * @throws StartupFailure when it cannot be started or is not ready in 30 s
 */
export async function attachOrStart(
  cluster: Cluster,
  signal: AbortSignal,
  meanwhile?: () => void,
): Promise<Client> {
  const deadline = performance.now() + patience;
  let server: StartedServer | undefined;
  let failedStarts = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      const attempt = await attach(cluster);
      if (attempt.client !== undefined) {
        server?.release();
        server = undefined;
        return attempt.client;
      }
      if (performance.now() > deadline) throw notReady(cluster, attempt.reason);
      if (server?.hasEnded() === true) {
        // Often because another process was quicker, or has not quite stopped: then all is well.
        if (attempt.down) failedStarts += 1;
        if (failedStarts === startsTried) {
          throw notStarted(cluster, await server.whyItEnded());
        }
        server = undefined;
        await pause(100 * failedStarts, signal);
      } else if (attempt.down && server === undefined && (await isServed(cluster)) !== true) {
        server = await startServer(cluster);
        meanwhile?.();
      }
      await pause(server === undefined ? 30 : 5, signal);
    }
  } finally {
    server?.abandon();
  }
}

/** Waits; cut short without an error when the signal says so. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);
}

function notReady({ directory }: Cluster, reason: string): StartupFailure {
  return new StartupFailure(
    `PostgreSQL on ${directory} (DATA_DIR) is not ready after ${patience / 1000} s: ${reason}`,
  );
}

function notStarted({ directory }: Cluster, reason: string): StartupFailure {
  return new StartupFailure(`PostgreSQL does not start on ${directory} (DATA_DIR): ${reason}`);
}
