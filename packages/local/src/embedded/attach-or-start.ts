import { setTimeout } from 'node:timers/promises';
import type { Client } from 'pg';
import { StartupFailure } from '@store-gateway/ops';
import { attach } from './attach.ts';
import type { Cluster } from './cluster.ts';
import { isServed, type StartedServer, startServer } from './server.ts';

/** For a server to be ready, crash recovery included. */
const START_TIMEOUT_MS = 30_000;
const MAX_STARTS = 3;

/**
 * Becomes a member of the cluster's server, which is started if it is down.
 *
 * @param signal gives up, and stops the server that was being started
 * @param onLaunched called when a server has been launched and is not ready yet
 * @returns the connection that holds the membership
 * @throws StartupFailure when it cannot be started or is not ready in 30 s
 */
export async function attachOrStart(
  cluster: Cluster,
  signal: AbortSignal,
  onLaunched?: () => void,
): Promise<Client> {
  const { directory } = cluster;
  const deadline = performance.now() + START_TIMEOUT_MS;
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
      if (performance.now() > deadline) {
        throw new StartupFailure(
          `PostgreSQL on ${directory} (DATA_DIR) is not ready after ${START_TIMEOUT_MS / 1000} s: ${attempt.reason}`,
        );
      }
      if (server?.hasEnded() === true) {
        // Often because another process was quicker, or its server has not quite stopped.
        if (attempt.down) failedStarts += 1;
        if (failedStarts === MAX_STARTS) {
          throw new StartupFailure(
            `PostgreSQL does not start on ${directory} (DATA_DIR): ${await server.whyItEnded()}`,
          );
        }
        server = undefined;
        await pause(100 * failedStarts, signal);
      } else if (attempt.down && server === undefined && (await isServed(cluster)) !== true) {
        server = await startServer(cluster);
        onLaunched?.();
      }
      await pause(server === undefined ? 30 : 5, signal);
    }
  } finally {
    server?.abandon();
  }
}

/** Waits; ends early, without an error, when the signal is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);
}
