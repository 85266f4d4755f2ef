import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import type { StoreLoad } from '../../cluster/support/store-load.ts';
import { runInProcess } from '../../support/command.ts';
import type { PostgresServer } from '../../support/postgres-server.ts';
import { childrenOf } from '../../support/process-list.ts';
import { distribute } from '../../support/store-commands.ts';
import { addressOf } from './cluster.ts';
import { startStandby } from './node-copies.ts';
import type { NodeProxy } from './node-proxy.ts';
import type { ShardedStore } from './sharded-store.ts';

type DisturbedLoad = Pick<StoreLoad, 'acknowledged' | 'refused'>;

/** A fault to inject into a cluster under load. */
export interface NodeFault {
  readonly what: string;
  /** Whether the fault is so similar to another fault that only longer runs inject it. */
  readonly isLikeAnother?: boolean;
  /** Injects the fault. Resolves when its cause has been removed. */
  readonly befall: (store: ShardedStore, load: DisturbedLoad) => Promise<unknown>;
}

/** Milliseconds by which each statement is delayed. */
const SLOWNESS = 50;
const COMMIT_PREPARED = /^COMMIT PREPARED/;
const PREPARE = /^PREPARE TRANSACTION/;
/** Single-statement writes, which do not use two-phase commit. */
const WRITE = /^(INSERT INTO|UPDATE) \S*pets_\d+/;
/** The COMMIT that a gateway sends. */
const COMMIT = /^COMMIT$/;

const workerOf = ({ workers: [worker] }: ShardedStore) => worker;

export const DISTRIBUTION: NodeFault = {
  what: 'the table is distributed',
  befall: async ({ coordinator }) => {
    const env = { DATABASE_URL: coordinator.url };
    expect(await runInProcess(distribute, ['Pet'], { env })).toMatchObject({ code: 0 });
  },
};

export const FAULTS: readonly NodeFault[] = [
  ...onEach('is killed', async (node) => {
    await node.stop('SIGQUIT');
    await node.start();
  }),
  ...onEach('is paused and resumed', async (node, load) => {
    const thaw = await freeze(node);
    await load.refused();
    thaw();
  }),
  ...onEach('has one of its backends killed', async (node) => {
    await node.ask(`SELECT pg_terminate_backend(pid) ${BACKENDS}`);
    const pid = Number(await node.ask(`SELECT pid ${BACKENDS} LIMIT 1`));
    if (pid > 0) signal(pid, 'SIGKILL');
  }),
  ...cuts('COMMIT PREPARED', COMMIT_PREPARED, workerOf),
  ...cuts('PREPARE TRANSACTION', PREPARE, workerOf),
  ...cuts('a one-phase write', WRITE, workerOf),
  {
    what: 'a worker stops responding between PREPARE TRANSACTION and COMMIT PREPARED',
    befall: async (store, load) => {
      const letGo = await workerOf(store).hold(COMMIT_PREPARED);
      await load.refused();
      letGo();
    },
  },
  {
    what: 'the network to a worker delivers nothing',
    isLikeAnother: true,
    befall: async (store, load) => {
      const letGo = await workerOf(store).hold(/^/);
      await load.refused();
      letGo();
    },
  },
  {
    what: 'the network to a worker is slow',
    isLikeAnother: true,
    befall: ({ workers: [worker] }, load) =>
      worker.disturb(
        () => ({ after: setTimeout(SLOWNESS) }),
        () => load.acknowledged(2),
      ),
  },
  {
    what: 'the network to a worker is cut at every statement',
    befall: ({ workers: [worker] }, load) =>
      worker.disturb(
        () => ({ cut: 'unsent' }),
        () => {
          worker.cutAll();
          return load.refused();
        },
      ),
  },
  {
    what: 'a gateway is killed during COMMIT PREPARED',
    befall: async (store) => {
      const letGo = await workerOf(store).hold(COMMIT_PREPARED);
      const restarted = store.restart(0);
      letGo();
      await restarted;
    },
  },
  ...onEach('is killed during COMMIT PREPARED', async (node, _load, store) => {
    const letGo = await workerOf(store).hold(COMMIT_PREPARED);
    await node.stop('SIGQUIT');
    letGo();
    await node.start();
  }).map((fault, index) => Object.assign(fault, { isLikeAnother: index > 0 })),
  ...cuts("a gateway's COMMIT", COMMIT, ({ coordinator }) => coordinator),
  {
    what: 'a shard is moved and moved back',
    befall: async ({ query }) => {
      const move = `SELECT citus_move_shard_placement(shardid, nodename, nodeport, target.name, target.port, 'force_logical')
          FROM (SELECT * FROM citus_shards WHERE table_name = 'pets'::regclass ORDER BY shardid LIMIT 1) AS shard,
            LATERAL (SELECT nodename AS name, nodeport AS port FROM pg_dist_node
              WHERE groupid > 0 AND nodeport <> shard.nodeport LIMIT 1) AS target`;
      await query(move);
      await query(move);
    },
  },
  {
    what: 'a column is added, an index is created on it and both are dropped',
    befall: async ({ query }) => {
      await query('ALTER TABLE pets ADD COLUMN note text');
      await query('CREATE INDEX CONCURRENTLY pets_note ON pets (note)');
      await query('ALTER TABLE pets DROP COLUMN note');
    },
  },
];

/** Faults that replace a node with its standby. */
export const TAKEOVERS: readonly NodeFault[] = [
  {
    what: 'the standby of a worker takes over',
    befall: async ({ cluster, workers: [proxy], query }) => {
      const standby = await takeOver(cluster.workers[0]);
      const { port } = new URL(proxy.url);
      await query(
        `SELECT citus_update_node(nodeid, ${addressOf(standby)}) FROM pg_dist_node WHERE nodeport = ${port}`,
      );
    },
  },
  {
    what: 'the standby of the coordinator takes over',
    befall: async ({ cluster, coordinator, query }) => {
      const standby = await takeOver(cluster.coordinator);
      coordinator.switchTo(standby.url);
      await query(`SELECT citus_set_coordinator_host(${addressOf(standby)})`);
    },
  },
];

/** Stops a node, and promotes its standby. @returns the standby */
async function takeOver(node: PostgresServer): Promise<PostgresServer> {
  const standby = await startStandby(node);
  await node.stop('SIGQUIT');
  await standby.ask('SELECT pg_promote()');
  return standby;
}

const BACKENDS = `FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND datname LIKE 'test\\_%'`;

/** Returns a fault for the coordinator and the same fault for a worker. */
function onEach(
  what: string,
  befall: (node: PostgresServer, load: DisturbedLoad, store: ShardedStore) => Promise<unknown>,
): NodeFault[] {
  return [
    {
      what: `the coordinator ${what}`,
      befall: (store, load) => befall(store.cluster.coordinator, load, store),
    },
    {
      what: `a worker ${what}`,
      befall: (store, load) => befall(store.cluster.workers[0], load, store),
    },
  ];
}

function cuts(
  what: string,
  statement: RegExp,
  proxyOf: (store: ShardedStore) => NodeProxy,
): NodeFault[] {
  return (['unsent', 'unanswered'] as const).map((cut) => ({
    isLikeAnother: cut === 'unsent' && statement !== COMMIT_PREPARED,
    what: cut === 'unsent' ? `${what} is lost` : `the response to ${what} is lost`,
    befall: (store, load) => proxyOf(store).disturb(cutting(statement, cut), load.refused),
  }));
}

/** Cuts connections at matching statements, including those that recover prepared transactions. */
export function cutting(matching: RegExp, cut: 'unsent' | 'unanswered') {
  return (statement: string) => (matching.test(statement) ? { cut } : undefined);
}

/** Stops all processes of a node. @returns a function that lets them continue */
export async function freeze(node: PostgresServer): Promise<() => void> {
  const postmaster = node.processId() ?? Number.NaN;
  signal(postmaster, 'SIGSTOP');
  // The stopped postmaster cannot start further processes.
  const children = await childrenOf(postmaster);
  for (const id of children) signal(id, 'SIGSTOP');
  return () => {
    for (const id of [...children, postmaster]) signal(id, 'SIGCONT');
  };
}

/** Sends a signal to a process that may have just ended. */
function signal(id: number, name: NodeJS.Signals): void {
  try {
    process.kill(id, name);
  } catch {
    return;
  }
}
