import { EMBEDDED } from './store-database.ts';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { urlOf, attachOrStart } from '../../packages/local/src/embedded/join.ts';
import {
  openCluster,
  recordedServer,
  stopServer,
} from '../../packages/local/src/embedded/server.ts';
import { childrenOf } from './process-list.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from './temporary-directory.ts';

export type EmbeddedPostgres = Awaited<ReturnType<typeof embeddedPostgres>>;

/** Controls a data folder's embedded PostgreSQL, whichever process started it. */
export async function embeddedPostgres(dataDirectory: string) {
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
    /** Kills the server. */
    crash: async (): Promise<void> => {
      killed = await server();
      process.kill(killed, 'SIGKILL');
    },
    /**
     * Halts all of its processes: connections stay open and new ones are accepted, but nothing is answered. Resolves to
     * a function that resumes them.
     */
    freeze: async () => haltAll(await server()),
    /** Resolves when it answers; after a crash, when a newly started server answers. */
    answers: async (): Promise<void> => {
      while ((await isKilled()) || !(await answersOnce(url))) {
        await setTimeout(10);
      }
    },
  };
}

async function haltAll(processId: number): Promise<() => void> {
  const frozen: number[] = [];
  const halt = (id: number) => {
    process.kill(id, 'SIGSTOP');
    frozen.push(id);
  };
  halt(processId);
  // Halted, the server starts no more processes. Those that it has just started have not registered themselves yet.
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

export type OutagePostgres = Awaited<ReturnType<typeof startOutagePostgres>>;

/** Starts a PostgreSQL that the test can make unavailable, and that no service restarts. */
export async function startOutagePostgres() {
  const directory = await temporaryDirectory();
  const cluster = await openCluster(directory.path, EMBEDDED);
  const { url, crash, freeze } = await embeddedPostgres(directory.path);
  let goOn: (() => void) | undefined;

  const start = async (): Promise<void> => {
    const member = await attachOrStart(cluster, new AbortController().signal);
    await member.end();
  };
  const thaw = async (): Promise<void> => {
    goOn?.();
  };

  await start();
  return {
    url,
    start,
    /** Makes the next start a standby, which rejects writes until it is promoted. */
    standBy: () => writeFile(join(cluster.directory, 'standby.signal'), ''),
    crash,
    freeze: async (): Promise<void> => {
      goOn = await freeze();
    },
    thaw,
    [Symbol.asyncDispose]: async () => {
      await thaw();
      await stopServer(cluster);
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** The service's sessions, from PostgreSQL's own view of them. */
const SESSIONS = `
  FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'animal-store-gateway serve'`;

/** Returns the ids of the PostgreSQL processes that serve a service on this database. */
export async function backendsOf(observer: Client): Promise<number[]> {
  const { rows } = await observer.query<{ pid: number }>(`SELECT pid ${SESSIONS}`);
  return rows.map(({ pid }) => pid);
}

/** Counts those processes until it is disposed of. */
export function watchBackends(observer: Client): AsyncDisposable & { readonly most: () => number } {
  let most = 0;
  const over = new AbortController();
  const watch = async () => {
    while (!over.signal.aborted) {
      most = Math.max(most, (await backendsOf(observer)).length);
      await setTimeout(20);
    }
  };
  const watching = watch();
  return {
    most: () => most,
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await watching;
    },
  };
}
