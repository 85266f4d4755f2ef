import { join } from 'node:path';
import { PETS } from '../plan.ts';
import { runPackageScript } from '../processes/command.ts';
import { openStore } from '../processes/postgres.ts';
import { startServer } from '../processes/server.ts';
import { requestsFor, type Subject } from '../processes/session.ts';
import { CLUSTERS } from './cells.ts';
import { startCluster } from './cluster.ts';

/** Starts a cluster of each of these names, with a store and a gateway. All ends with the stack. */
export async function startSubjects(
  names: ReadonlySet<string>,
  folder: string,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Subject>> {
  const subjects = new Map<string, Subject>();
  for (const name of names) {
    const workers = CLUSTERS.get(name) ?? 0;
    const { url, processIds, ask } = await startCluster(join(folder, name), workers, stack);
    const store = stack.use(await openStore(url, PETS, signal));
    if (workers > 0) await ask("SELECT create_distributed_table('pets', 'id')");
    const env = { DATABASE_URL: url, RATE_LIMIT: '900000000/1s' };
    const key = await runPackageScript('keys', ['create', 'bench'], env, signal);
    const options = { name, file: 'src/main.ts', env, folder, signal };
    const server = stack.use(await startServer(options));
    const requests = requestsFor(name, PETS, folder);
    subjects.set(name, { server, store, databases: processIds, key, constant: false, ...requests });
  }
  return subjects;
}
