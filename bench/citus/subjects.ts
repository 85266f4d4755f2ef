import { readFile } from 'node:fs/promises';
import {
  startCitus,
  startWithoutCitus,
  type CitusCluster,
} from '../../test/citus/support/cluster.ts';
import type { PostgresServer } from '../../test/support/postgres-server.ts';
import { PETS } from '../plan.ts';
import { gatewaysOn } from '../processes/gateway-store.ts';
import { connect, openStore } from '../processes/postgres.ts';
import type { Servers, Subject } from '../processes/session.ts';

/** The settings of deploy/citus that affect how pages are read, also used for PostgreSQL alone. */
const SETTINGS = { shared_buffers: '512MB', random_page_cost: '1.1' };
const CITUS_SETTINGS = { ...SETTINGS, 'citus.max_adaptive_executor_pool_size': '1' };

/** SQL that makes the coordinator distribute tables over four shards when the gateway migrates a database. */
const DISTRIBUTE = new URL('../../test/citus/support/distribute.sql', import.meta.url);

/**
 * Starts a gateway on PostgreSQL alone, which is the subject `alone`, and one on a coordinator with two workers. The latter
 * counts as two subjects, `coordinator` and `workers`, named after the processes whose CPU time is measured.
 *
 * @param folder for all files
 * @param stack stops everything that is started
 */
export async function startBothDatabases(
  folder: string,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Servers> {
  const alone = stack.use(await startWithoutCitus(SETTINGS));
  const cluster = stack.use(await startCitus(CITUS_SETTINGS, distributeTables));
  const start = async (name: string, url: string): Promise<Subject> => {
    const store = stack.use(await openStore(url, PETS, signal));
    const startGateway = await gatewaysOn(store, folder, stack, signal);
    return startGateway({ name });
  };
  const single = await start('alone', alone.url);
  const distributed = await start('distributed', cluster.url);
  await expectDistributed(cluster);
  const measured = (...servers: readonly PostgresServer[]): Subject => ({
    ...distributed,
    databaseProcesses: servers.map(processOf),
  });
  return {
    postgres: { processId: processOf(alone) },
    subjects: new Map([
      ['alone', single],
      ['coordinator', measured(cluster.coordinator)],
      ['workers', measured(...cluster.workers)],
    ]),
  };
}

async function distributeTables(url: string): Promise<void> {
  await using client = await connect(url);
  await client.query(await readFile(DISTRIBUTE, 'utf8'));
}

async function expectDistributed({ url }: CitusCluster): Promise<void> {
  await using client = await connect(url);
  const { rows } = await client.query<{ shards: string }>(
    "SELECT count(*) AS shards FROM pg_dist_shard WHERE logicalrelid = 'pets'::regclass",
  );
  if (rows[0]?.shards !== '4') throw new Error('the animals are not in four shards');
}

function processOf(server: PostgresServer): number {
  const processId = server.processId();
  if (processId === undefined) throw new Error(`PostgreSQL in ${server.directory} has ended`);
  return processId;
}
