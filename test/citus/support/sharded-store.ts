import { Client } from 'pg';
import { expect } from 'vitest';
import type { LoadedStore } from '../../cluster/support/store-load.ts';
import { ask } from '../../support/ask.ts';
import type { StoredAnimal } from '../../support/ledger.ts';
import { firstKey, startService, type Service } from '../../support/service.ts';
import type { CitusCluster } from './cluster.ts';
import { startNodeProxy, type NodeProxy } from './node-proxy.ts';
import { createStore } from './own-cluster.ts';

/** Two gateways on a cluster, which they and its nodes reach by way of proxies. */
export interface ShardedStore extends Required<LoadedStore> {
  readonly cluster: CitusCluster;
  /** Before the coordinator; its URL is the database's. */
  readonly coordinator: NodeProxy;
  /** Before the workers, for all nodes. */
  readonly workers: readonly [NodeProxy, NodeProxy];
  /** Kills a gateway, and starts it again. */
  readonly restart: (gateway: number) => Promise<void>;
  /** Asks the coordinator. */
  readonly query: <Row extends object>(text: string) => Promise<Row[]>;
  /** Those with greater ids, once no transaction is prepared. */
  readonly animalsAfter: (id: number) => Promise<StoredAnimal[]>;
}

const UNAVAILABLE = 503;
const PREPARED = 'SELECT count(*) FROM pg_prepared_xacts';

/** @param env of the gateways */
export async function startShardedStore(
  cluster: CitusCluster,
  env: NodeJS.ProcessEnv = {},
): Promise<ShardedStore> {
  const coordinator = await startNodeProxy(await createStore(cluster));
  const query = async <Row extends object>(text: string): Promise<Row[]> => {
    const client = new Client(coordinator.url);
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  };
  const [one, two] = cluster.workers;
  const workers = await Promise.all([startNodeProxy(one.url), startNodeProxy(two.url)]);
  for (const [index, { url }] of workers.entries()) {
    const { hostname, port } = new URL(url);
    const own = new URL(cluster.workers[index]?.url ?? '').port;
    await query(
      `SELECT citus_update_node(nodeid, '${hostname}', ${port}) FROM pg_dist_node WHERE nodeport = ${own}`,
    );
  }
  // Else a while goes by until workers know.
  await query('SELECT start_metadata_sync_to_all_nodes()');
  const start = async (port = '0'): Promise<Service> =>
    startService({ ...env, DATABASE_URL: coordinator.url, RATE_LIMIT: 'off', PORT: port });
  const first = await start();
  const services = [first, await start()];
  const urls = services.map(({ url }) => url);

  return {
    cluster,
    coordinator,
    workers,
    urls,
    key: await firstKey(first),
    query,
    // As what stands before gateways does, which answers in their place when they are gone.
    ask: async (...request) => {
      const answer = await ask(...request);
      return answer.status === 0 ? { ...answer, status: UNAVAILABLE } : answer;
    },
    restart: async (gateway) => {
      const killed = services[gateway];
      killed?.child.kill('SIGKILL');
      await killed?.child.exit;
      services[gateway] = await start(new URL(urls[gateway] ?? '').port);
    },
    animalsAfter: async (id) => {
      await expect
        .poll(() => query(`SELECT result FROM run_command_on_workers('${PREPARED}')`))
        .toEqual(workers.map(() => ({ result: '0' })));
      return query(`SELECT id, name FROM pets WHERE id > ${id}`);
    },
  };
}
