import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import type { PostgresServer } from '../../support/postgres-server.ts';
import type { StoreLoad } from '../../cluster/support/store-load.ts';
import { runInProcess } from '../../support/command.ts';
import { distribute } from '../../support/store-commands.ts';
import { cutAll, freeze, hold, signal } from './disturbances.ts';
import type { NodeProxy } from './node-proxy.ts';
import type { ShardedStore } from './sharded-store.ts';

type DisturbedLoad = Pick<StoreLoad, 'acknowledged' | 'refused'>;

/** What may befall a cluster under load. */
export interface NodeFault {
  readonly what: string;
  /** Whether it is much like another one, and left to longer runs. */
  readonly isLikeAnother?: boolean;
  /** Resolves once all is well again, or gets so by itself. */
  readonly befall: (store: ShardedStore, load: DisturbedLoad) => Promise<unknown>;
}

/** Milliseconds for each statement. */
const SLOWNESS = 50;
const COMMIT_PREPARED = /^COMMIT PREPARED/;
const PREPARE = /^PREPARE TRANSACTION/;
/** What is written without a transaction of several statements. */
const WRITE = /^(INSERT INTO|UPDATE) \S*pets_\d+/;
/** The gateway's own. */
const COMMIT = /^COMMIT$/;

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
  ...onEach('is stopped, and goes on', async (node, load) => {
    const goOn = await freeze(node);
    await load.refused();
    goOn();
  }),
  ...onEach('has one of its backends killed', async (node) => {
    await node.ask(`SELECT pg_terminate_backend(pid) ${BACKENDS}`);
    const pid = Number(await node.ask(`SELECT pid ${BACKENDS} LIMIT 1`));
    if (pid > 0) signal(pid, 'SIGKILL');
  }),
  ...cuts('COMMIT PREPARED', COMMIT_PREPARED, ({ workers: [worker] }) => worker),
  ...cuts('PREPARE TRANSACTION', PREPARE, ({ workers: [worker] }) => worker),
  ...cuts('a write of one phase', WRITE, ({ workers: [worker] }) => worker),
  {
    what: 'a worker stops answering between PREPARE TRANSACTION and COMMIT PREPARED',
    befall: async ({ workers: [worker] }, load) => {
      const held = hold(worker, COMMIT_PREPARED);
      await held.reached;
      await load.refused();
      held.letGo();
    },
  },
  {
    what: 'the network to a worker holds everything',
    isLikeAnother: true,
    befall: async ({ workers: [worker] }, load) => {
      const held = hold(worker, /^/);
      await load.refused();
      held.letGo();
    },
  },
  {
    what: 'the network to a worker is slow',
    isLikeAnother: true,
    befall: async ({ workers: [worker] }, load) => {
      worker?.decideBy(() => ({ after: setTimeout(SLOWNESS) }));
      await load.acknowledged(2);
      worker?.decideBy(() => undefined);
    },
  },
  {
    what: 'the network to a worker is cut at every statement',
    befall: async ({ workers: [worker] }, load) => {
      worker?.decideBy(() => ({ cut: 'unsent' }));
      worker?.cutAll();
      await load.refused();
      worker?.decideBy(() => undefined);
    },
  },
  {
    what: 'a gateway is killed while COMMIT PREPARED is under way',
    befall: async ({ workers: [worker], restart }) => {
      const held = hold(worker, COMMIT_PREPARED);
      await held.reached;
      const restarted = restart(0);
      held.letGo();
      await restarted;
    },
  },
  {
    what: 'the coordinator is killed while COMMIT PREPARED is under way',
    befall: async ({ workers: [worker], cluster: { coordinator } }) => {
      const held = hold(worker, COMMIT_PREPARED);
      await held.reached;
      await coordinator.stop('SIGQUIT');
      held.letGo();
      await coordinator.start();
    },
  },
  {
    what: 'a worker is killed while COMMIT PREPARED is under way',
    isLikeAnother: true,
    befall: async ({
      workers: [proxy],
      cluster: {
        workers: [worker],
      },
    }) => {
      const held = hold(proxy, COMMIT_PREPARED);
      await held.reached;
      await worker?.stop('SIGQUIT');
      held.letGo();
      await worker?.start();
    },
  },
  ...cuts("a gateway's COMMIT", COMMIT, ({ coordinator }) => coordinator),
  {
    what: 'a shard is moved, and back',
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
    what: 'a column is added and dropped, and an index made meanwhile',
    befall: async ({ query }) => {
      await query('ALTER TABLE pets ADD COLUMN note text');
      await query('CREATE INDEX CONCURRENTLY pets_note ON pets (note)');
      await query('ALTER TABLE pets DROP COLUMN note');
    },
  },
];

const BACKENDS = `FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND datname LIKE 'test\\_%'`;

/** A fault of the coordinator, and of a worker. */
function onEach(
  what: string,
  befall: (node: PostgresServer, load: DisturbedLoad) => Promise<unknown>,
): NodeFault[] {
  return [
    {
      what: `the coordinator ${what}`,
      befall: ({ cluster }, load) => befall(cluster.coordinator, load),
    },
    {
      what: `a worker ${what}`,
      befall: async ({ cluster: { workers } }, load) => {
        for (const worker of workers.slice(0, 1)) await befall(worker, load);
      },
    },
  ];
}

function cuts(
  what: string,
  statement: RegExp,
  proxyOf: (store: ShardedStore) => NodeProxy | undefined,
): NodeFault[] {
  return (['unsent', 'unanswered'] as const).map((cut) => ({
    isLikeAnother: cut === 'unsent' && statement !== COMMIT_PREPARED,
    what: cut === 'unsent' ? `${what} is lost` : `nobody hears that ${what} was done`,
    befall: async (store, load) => {
      const mend = cutAll(proxyOf(store), statement, cut);
      await load.refused();
      mend();
    },
  }));
}
