import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import type { PostgresServer } from './postgres-server.ts';

export interface DisturbedReplica {
  readonly server: PostgresServer;
  /** What of the gateways' way to it can be cut. */
  readonly proxy: { readonly cutAll: () => void };
}

export interface DisturbanceOptions {
  /** Milliseconds for which a replica replays nothing, at most. */
  readonly maxPause: number;
  /** Whether connections are cut, too. */
  readonly cuts: boolean;
}

/** Between attempts to reach a replica that has been killed. */
const RETRY_INTERVAL_MS = 50;

/** Pauses and resumes what replicas replay, and cuts their connections, at random, until it is disposed of. */
export function disturbReplicas(
  replicas: readonly DisturbedReplica[],
  options: DisturbanceOptions,
): AsyncDisposable {
  const over = new AbortController();
  const ended = Promise.all(
    replicas.map(async ({ server, proxy }) => {
      while (!over.signal.aborted) {
        await disturb(server, proxy, options, over.signal).catch(() =>
          setTimeout(RETRY_INTERVAL_MS),
        );
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

async function disturb(
  { url }: PostgresServer,
  proxy: DisturbedReplica['proxy'],
  { maxPause, cuts }: DisturbanceOptions,
  over: AbortSignal,
): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    while (!over.aborted) {
      await client.query('SELECT pg_wal_replay_pause()');
      await setTimeout(randomInt(maxPause));
      if (cuts && randomInt(4) === 0) proxy.cutAll();
      await client.query('SELECT pg_wal_replay_resume()');
      await setTimeout(randomInt(maxPause));
    }
  } finally {
    await client.end();
  }
}
