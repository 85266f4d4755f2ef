import { setTimeout } from 'node:timers/promises';
import type { Client } from 'pg';
import { attachOrStart, pause } from './attach-or-start.ts';
import { detach } from './attach.ts';
import type { Cluster } from './cluster.ts';
import { stopServer } from './server.ts';

/** Milliseconds between attempts to get a lost server back. */
const betweenAttempts = 500;

/** Milliseconds for a connection to close in good order. */
const closingPatience = 1_000;

export interface Membership {
  /** Leaves; the last one out stops the server and waits until it is down. Never rejects. */
  readonly leave: () => Promise<void>;
}

/**
 * Becomes a member of a cluster's server and stays one until it leaves: when the server is lost, it
 * is started again in the background.
 * @param meanwhile called whenever the server has been launched and is yet to be ready
 * @throws StartupFailure when the server cannot be started or reached the first time
 */
export async function becomeMember(cluster: Cluster, meanwhile?: () => void): Promise<Membership> {
  const leaving = new AbortController();
  let client: Client | undefined;
  let rejoined = Promise.resolve();
  let left: Promise<void> | undefined;

  const join = async () => {
    const joined = await attachOrStart(cluster, leaving.signal, meanwhile);
    client = joined;
    joined.once('end', () => {
      client = undefined;
      if (!leaving.signal.aborted) rejoined = rejoin();
    });
  };
  const rejoin = async () => {
    while (!leaving.signal.aborted) {
      try {
        await join();
        return;
      } catch {
        await pause(betweenAttempts, leaving.signal);
      }
    }
  };
  const leave = async () => {
    leaving.abort();
    await rejoined;
    if (client !== undefined) await endMembership(cluster, client);
  };

  await join();
  return { leave: () => (left ??= leave()) };
}

async function endMembership(cluster: Cluster, client: Client): Promise<void> {
  try {
    if (await detach(client)) await stopServer(cluster);
  } catch {
    // The server is gone or does not answer: there is nothing left to wait for.
  }
  await Promise.race([
    client.end().catch(() => undefined),
    setTimeout(closingPatience, undefined, { ref: false }),
  ]);
}
