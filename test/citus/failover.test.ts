import { afterAll, expect, test } from 'vitest';
import type { PostgresServer } from '../support/postgres-server.ts';
import { HOST } from '../system/support/haproxy.ts';
import { runRound } from './support/fault-round.ts';
import { startUndistributed } from './support/own-cluster.ts';
import { startShardedStore } from './support/sharded-store.ts';
import { startStandby } from './support/standby.ts';

const cluster = await startUndistributed();
afterAll(() => cluster[Symbol.asyncDispose]());
const store = await startShardedStore(cluster);
await store.query("SELECT create_distributed_table('pets', 'id')");

const addressOf = ({ url }: PostgresServer) => `'${HOST}', ${new URL(url).port}`;

/** Nodes, and what an operator does once their standbys are promoted. */
const nodes: readonly {
  readonly what: string;
  readonly node: PostgresServer | undefined;
  readonly replace: (standby: PostgresServer) => Promise<unknown>;
}[] = [
  {
    what: 'a worker',
    node: cluster.workers[0],
    replace: (standby) => {
      const { port } = new URL(store.workers[0]?.url ?? '');
      return store.query(
        `SELECT citus_update_node(nodeid, ${addressOf(standby)}) FROM pg_dist_node WHERE nodeport = ${port}`,
      );
    },
  },
  {
    what: 'the coordinator',
    node: cluster.coordinator,
    replace: async (standby) => {
      store.coordinator.switchTo(standby.url);
      await store.query(`SELECT citus_set_coordinator_host(${addressOf(standby)})`);
    },
  },
];

test.each(nodes)(
  'nothing is lost, doubled or answered wrongly when the standby of $what takes over',
  async ({ what, node, replace }) => {
    if (node === undefined) throw new Error(`there is no ${what}`);
    const standby = await startStandby(node);
    const befall = async () => {
      await node.stop('SIGQUIT');
      await standby.ask('SELECT pg_promote()');
      await replace(standby);
    };
    const { lost, wrong, gaps } = await runRound(store, { what, befall });
    expect({ lost, wrong, gaps }).toEqual({ lost: [], wrong: [], gaps: [] });
  },
  180_000,
);
