import { setTimeout } from 'node:timers/promises';
import type { Client } from 'pg';
import { attachOrStart, pause, detach, urlOf } from './attach.ts';
import {
  type Cluster,
  type ClusterNames,
  expectCluster,
  hasCluster,
  openCluster,
  stopServer,
} from './server.ts';
import { inDataDirectory } from './data-directory.ts';

/** Between attempts to start a lost server again. */
const RETRY_INTERVAL_MS = 500;

/** For a connection to close gracefully. */
const CLOSE_TIMEOUT_MS = 1_000;

/** A running embedded PostgreSQL that this process is a member of. */
interface EmbeddedPostgres {
  /** Its address for node-postgres, over the Unix socket, password included. Stays the same. */
  readonly url: string;
  /** Leaves; the last one out stops the server and waits until it is down. Never rejects. */
  readonly leave: () => Promise<void>;
}

/**
 * Joins the embedded PostgreSQL of a data folder: attaches to the live server, or starts it, or makes the cluster first.
 * A server that is lost is started again in the background, at the same address.
 *
 * @param dataDirectory absolute path
 * @param onLaunched called whenever a server has been launched and is not ready yet
 * @throws StartupFailure when it cannot be made, started or reached
 */
export function joinEmbeddedPostgres(
  dataDirectory: string,
  names: ClusterNames,
  onLaunched?: () => void,
): Promise<EmbeddedPostgres> {
  return inDataDirectory(dataDirectory, async () => {
    const cluster = await openCluster(dataDirectory, names);
    return { url: urlOf(cluster), leave: await becomeMember(cluster, onLaunched) };
  });
}

/** Whether a data folder has one. @throws StartupFailure if it can't be read */
export function hasEmbeddedPostgres(dataDirectory: string): Promise<boolean> {
  return inDataDirectory(dataDirectory, () => hasCluster(dataDirectory));
}

/** @throws StartupFailure if a data folder has none yet, or can't be read */
export function expectEmbeddedPostgres(dataDirectory: string): Promise<void> {
  return inDataDirectory(dataDirectory, () => expectCluster(dataDirectory));
}

/**
 * Becomes a member of a cluster's server until it leaves: a server that is lost is started again in the background.
 *
 * @param onLaunched called whenever a server has been launched and is not ready yet
 * @returns a function that leaves
 * @throws StartupFailure when the server cannot be started or reached the first time
 */
export async function becomeMember(
  cluster: Cluster,
  onLaunched?: () => void,
): Promise<EmbeddedPostgres['leave']> {
  const leaving = new AbortController();
  const { signal } = leaving;
  let client: Client | undefined;
  let rejoined = Promise.resolve();
  let left: Promise<void> | undefined;

  const join = async () => {
    client = await attachOrStart(cluster, signal, onLaunched);
    client.once('end', () => {
      client = undefined;
      rejoined = rejoin();
    });
  };
  const rejoin = async () => {
    while (!signal.aborted) {
      try {
        return await join();
      } catch {
        await pause(RETRY_INTERVAL_MS, signal);
      }
    }
  };
  const leave = async () => {
    leaving.abort();
    await rejoined;
    if (client !== undefined) await endMembership(cluster, client);
  };

  await join();
  return () => (left ??= leave());
}

async function endMembership(cluster: Cluster, client: Client): Promise<void> {
  try {
    if (await detach(client)) await stopServer(cluster);
  } catch {
    // The server is gone or does not answer: there is nothing left to wait for.
  }
  await Promise.race([
    client.end().catch(() => undefined),
    setTimeout(CLOSE_TIMEOUT_MS, undefined, { ref: false }),
  ]);
}
