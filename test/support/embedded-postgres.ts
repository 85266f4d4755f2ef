import { EMBEDDED } from './store-database.ts';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { urlOf } from '../../packages/local/src/embedded/join.ts';
import { openCluster, recordedServer } from '../../packages/local/src/embedded/server.ts';
import { childrenOf } from './process-list.ts';

/** The embedded PostgreSQL of a data folder, whoever runs it. */
export interface EmbeddedPostgres {
  readonly url: string;
  /** Kills it. */
  readonly crash: () => Promise<void>;
  /**
   * Halts all of its processes: connections stay open, more are taken, and nobody answers. Resolves to what lets
   * them go on.
   */
  readonly freeze: () => Promise<() => void>;
  /** Resolves once it answers; after a crash, one that has been started since. */
  readonly answers: () => Promise<void>;
}

export async function embeddedPostgres(dataDirectory: string): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(dataDirectory, EMBEDDED);
  const url = urlOf(cluster);
  const server = async (): Promise<number> => {
    const recorded = await recordedServer(cluster.directory);
    if (recorded === undefined) {
      throw new Error('PostgreSQL does not run');
    }
    return recorded;
  };
  let killed: number | undefined;
  const isKilled = async () =>
    killed !== undefined && (await recordedServer(cluster.directory)) === killed;
  return {
    url,
    crash: async () => {
      killed = await server();
      process.kill(killed, 'SIGKILL');
    },
    freeze: async () => freeze(await server()),
    answers: async () => {
      while ((await isKilled()) || !(await answersOnce(url))) {
        await setTimeout(10);
      }
    },
  };
}

async function freeze(processId: number): Promise<() => void> {
  const frozen: number[] = [];
  const halt = (id: number) => {
    process.kill(id, 'SIGSTOP');
    frozen.push(id);
  };
  halt(processId);
  // From now on it makes no more of them; those that it has just made are in no view of its own yet.
  for (const child of await childrenOf(processId)) {
    halt(child);
  }
  return () => {
    for (const id of frozen.splice(0)) {
      process.kill(id, 'SIGCONT');
    }
  };
}

async function answersOnce(url: string): Promise<boolean> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 1000,
    query_timeout: 1000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
