import { Client } from 'pg';
import { expect } from 'vitest';
import type { LoadedStore } from '../../cluster/support/store-load.ts';
import { ask } from '../../support/ask.ts';
import type { StoredAnimal } from '../../support/ledger.ts';
import { firstKey, startService, type Service } from '../../support/service.ts';
import type { CitusCluster } from './cluster.ts';
import { startNodeProxy, type NodeProxy } from './node-proxy.ts';
import { createStore } from './own-cluster.ts';

/** Two gateways on a Citus cluster. The gateways and the nodes connect to the nodes through proxies. */
export interface ShardedStore extends Required<LoadedStore> {
  readonly cluster: CitusCluster;
  /** The proxy for the coordinator. Its URL is the database's URL. */
  readonly coordinator: NodeProxy;
  /** The proxies for the workers, which all nodes use. */
  readonly workers: readonly [NodeProxy, NodeProxy];
  /** Kills a gateway and starts it again. */
  readonly restart: (gateway: number) => Promise<void>;
  /** Runs a query on the coordinator. */
  readonly query: <Row extends object>(text: string) => Promise<Row[]>;
  /** Returns the animals with greater ids when no prepared transaction is left. */
  readonly animalsAfter: (id: number) => Promise<StoredAnimal[]>;
}

const UNAVAILABLE = 503;
const PREPARED = 'SELECT count(*) FROM pg_prepared_xacts';

/** Starts the proxies and gateways of a store. @param env the gateways' environment */
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
  // Otherwise workers learn the new addresses only after a while.
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
    // Like a load balancer, which returns 503 when a gateway is down.
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
