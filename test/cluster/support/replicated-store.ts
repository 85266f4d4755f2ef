import { Client } from 'pg';
import { expect, vi } from 'vitest';
import { firstKey, startService } from '../../support/service.ts';
import { HOST } from '../../system/support/haproxy.ts';
import type { StoredAnimal } from '../../support/ledger.ts';
import type { Cluster } from './cluster.ts';
import { MACHINE_NAMES } from './configuration.ts';
import { startDatabaseProxy } from './database-proxy.ts';
import { query } from './patroni-api.ts';

/** Two gateways on a cluster, each with an HAProxy of its own. */
export interface ReplicatedStore {
  readonly urls: readonly string[];
  readonly key: string;
  /** The greatest id of the primary's animals. */
  readonly lastId: () => Promise<number>;
  /** The primary's animals with greater ids. */
  readonly animalsAfter: (id: number) => Promise<StoredAnimal[]>;
}

const PASSWORD = 'of the store';
const DATABASE = 'store';

export async function startReplicatedStore(cluster: Cluster): Promise<ReplicatedStore> {
  const primary = await cluster.whole();
  await query(primary, `CREATE ROLE ${DATABASE} LOGIN PASSWORD '${PASSWORD}'`);
  await query(primary, `CREATE DATABASE ${DATABASE} OWNER ${DATABASE}`);
  const start = async (number: number) => {
    const port = await startDatabaseProxy(number, cluster);
    const databaseUrl = new URL(`postgresql://${HOST}:${port}/${DATABASE}`);
    databaseUrl.username = DATABASE;
    databaseUrl.password = PASSWORD;
    await reachesPrimary(databaseUrl);
    return startService({ DATABASE_URL: databaseUrl.href, RATE_LIMIT: 'off' });
  };
  const first = await start(1);
  const second = await start(2);
  return {
    urls: [first.url, second.url],
    key: await firstKey(first),
    lastId: async () => {
      const text = 'SELECT coalesce(max(id), 0)::int AS id FROM pets';
      const [last] = await query<{ id: number }>(await cluster.primary(), text, DATABASE);
      return last?.id ?? 0;
    },
    animalsAfter: async (id) =>
      query(await cluster.primary(), `SELECT id, name FROM pets WHERE id > ${id}`, DATABASE),
  };
}

/** Resolves once HAProxy has found the primary: before its first checks it leads to all machines in turn. */
async function reachesPrimary({ href }: URL): Promise<void> {
  const ask = async () => {
    const client = new Client({ connectionString: href, connectionTimeoutMillis: 1000 });
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
