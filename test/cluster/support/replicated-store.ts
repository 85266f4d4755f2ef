import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, vi } from 'vitest';
import { answeredByReplicas } from '../../support/measured.ts';
import { firstKey, startService } from '../../support/service.ts';
import { freePort, HOST, runHAProxy } from '../../system/support/haproxy.ts';
import type { StoredAnimal } from '../../support/ledger.ts';
import type { Cluster } from './cluster.ts';
import { configuration, MACHINE_NAMES } from './configuration.ts';
import { query } from './database-machine.ts';

/** Two gateways on a cluster, each with its own HAProxy. The second one also reads from the replicas. */
export interface ReplicatedStore {
  readonly urls: readonly string[];
  readonly key: string;
  /** Returns the number of reads that replicas have served so far. */
  readonly byReplicas: () => Promise<number>;
  /** Returns the greatest id of the primary's animals. */
  readonly lastId: () => Promise<number>;
  /** Returns the primary's animals with greater ids. */
  readonly animalsAfter: (id: number) => Promise<StoredAnimal[]>;
}

const PASSWORD = 'of the store';
const DATABASE = 'store';

export async function startReplicatedStore(cluster: Cluster): Promise<ReplicatedStore> {
  const primary = await cluster.whole();
  await query(primary, `CREATE ROLE ${DATABASE} LOGIN PASSWORD '${PASSWORD}'`);
  await query(primary, `CREATE DATABASE ${DATABASE} OWNER ${DATABASE}`);
  await query(primary, `GRANT pg_read_all_stats TO ${DATABASE}`);
  const start = async (number: number, replicas: readonly string[]) => {
    const databaseUrl = urlAt(`${HOST}:${await startDatabaseProxy(number, cluster)}`);
    await reachesPrimary(databaseUrl);
    return startService({
      DATABASE_URL: databaseUrl,
      DATABASE_REPLICA_URLS: replicas.join(' '),
      RATE_LIMIT: 'off',
      METRICS_PORT: '0',
    });
  };
  const first = await start(1, []);
  const second = await start(
    2,
    cluster.machines.map(({ address }) => urlAt(`${address}:5432`)),
  );
  return {
    urls: [first.url, second.url],
    key: await firstKey(first),
    byReplicas: () => answeredByReplicas(second),
    lastId: async () => {
      const text = 'SELECT coalesce(max(id), 0)::int AS id FROM pets';
      const [last] = await query<{ id: number }>(await cluster.primary(), text, DATABASE);
      return last?.id ?? 0;
    },
    animalsAfter: async (id) =>
      query(await cluster.primary(), `SELECT id, name FROM pets WHERE id > ${id}`, DATABASE),
  };
}

/** Runs an HAProxy for one gateway. @returns the port on `HOST` that it forwards to the primary */
async function startDatabaseProxy(
  number: number,
  { addresses, directory, proxyChanges }: Cluster,
): Promise<number> {
  const port = await freePort();
  const file = join(directory, `haproxy-${number}.cfg`);
  const changes = { '127.0.0.1:5000': `${HOST}:${port}`, ...proxyChanges };
  await writeFile(file, await configuration('haproxy.cfg', addresses, changes));
  await runHAProxy(file);
  return port;
}

function urlAt(host: string): string {
  const url = new URL(`postgresql://${host}/${DATABASE}`);
  url.username = DATABASE;
  url.password = PASSWORD;
  return url.href;
}

/** Resolves when HAProxy has found the primary. Before its first checks, it forwards to all machines in turn. */
async function reachesPrimary(connectionString: string): Promise<void> {
  const ask = async () => {
    const client = new Client({ connectionString, connectionTimeoutMillis: 1000 });
    // HAProxy closes sessions with machines that its first checks find not to be the primary.
    client.on('error', () => undefined);
    await client.connect();
    try {
      const text = 'SELECT pg_is_in_recovery() AS "isStandby"';
      return (await client.query<{ isStandby: boolean }>(text)).rows;
    } finally {
      await client.end();
    }
  };
  await vi.waitFor(
    async () => {
      const answers = [...(await ask()), ...(await ask()), ...(await ask())];
      expect(answers).toEqual(MACHINE_NAMES.map(() => ({ isStandby: false })));
    },
    { timeout: 30_000, interval: 50 },
  );
}
