import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import type { PostgresServer } from './postgres-server.ts';

export interface DisturbedReplica {
  readonly server: PostgresServer;
  /** What of the gateways' way to it can be cut. */
  readonly proxy: { readonly cutAll: () => void };
}

/** Milliseconds for which a replica replays nothing, at most. */
const MAX_PAUSE_MS = 40;

/** Between attempts to reach a replica that has been killed. */
const RETRY_INTERVAL_MS = 50;

/** Pauses and resumes what replicas replay, and cuts their connections, at random, until it is disposed of. */
export function disturbReplicas(replicas: readonly DisturbedReplica[]): AsyncDisposable {
  const over = new AbortController();
  const ended = Promise.all(
    replicas.map(async ({ server, proxy }) => {
      while (!over.signal.aborted) {
        await disturb(server, proxy, over.signal).catch(() => setTimeout(RETRY_INTERVAL_MS));
      }
    }),
  );
  return {
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await ended;
    },
  };
}

/** Lets replicas replay nothing until `resumeReplay`; one that has been promoted is left alone. */
export async function pauseReplay(replicas: readonly DisturbedReplica[]): Promise<void> {
  await askReplicas(replicas, 'SELECT pg_wal_replay_pause() WHERE pg_is_in_recovery()');
}

export async function resumeReplay(replicas: readonly DisturbedReplica[]): Promise<void> {
  await askReplicas(replicas, 'SELECT pg_wal_replay_resume() WHERE pg_is_in_recovery()');
}

async function askReplicas(replicas: readonly DisturbedReplica[], sql: string): Promise<void> {
  await Promise.all(replicas.map(async ({ server }) => server.ask(sql)));
}

async function disturb(
  { url }: PostgresServer,
  proxy: DisturbedReplica['proxy'],
  over: AbortSignal,
): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    while (!over.aborted) {
      await client.query('SELECT pg_wal_replay_pause()');
      await setTimeout(randomInt(MAX_PAUSE_MS));
      if (randomInt(4) === 0) proxy.cutAll();
      await client.query('SELECT pg_wal_replay_resume()');
      await setTimeout(randomInt(MAX_PAUSE_MS));
    }
  } finally {
    await client.end();
  }
}
