import { execFile } from 'node:child_process';
import { appendFile, chown, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { accountFor } from '@store-gateway/embedded-postgres/account';
import { PROGRAMS, requireCitus } from '../../test/citus/support/programs.ts';
import { postgresServer, type PostgresServer } from '../../test/support/postgres-server.ts';
import { freePort } from '../../test/system/support/haproxy.ts';
import { ROOT } from '../root.ts';

/** PostgreSQL, or the coordinator of a Citus cluster. */
export interface Cluster {
  readonly url: string;
  /** Its number as a process, and those of its workers. */
  readonly processIds: readonly number[];
  /** Runs a statement on it. */
  readonly ask: PostgresServer['ask'];
}

const CONFIGURATION = join(ROOT, 'deploy/citus/postgresql.conf');
const run = promisify(execFile);

/** Starts Citus with so many workers, as deploy/citus has it, or PostgreSQL without any. All ends with the stack. */
export async function startCluster(
  folder: string,
  workers: number,
  stack: AsyncDisposableStack,
): Promise<Cluster> {
  if (workers > 0) await requireCitus();
  const account = await accountFor(join(folder, 'none'));
  await mkdir(folder);
  if (account !== undefined) await chown(folder, account.uid, account.gid);
  const start = async (_: unknown, node: number): Promise<PostgresServer> => {
    const directory = join(folder, String(node));
    const postgres = join(PROGRAMS, 'postgres');
    const port = await freePort('127.0.0.1');
    const server = postgresServer({ postgres, directory, socketDirectory: folder, port, account });
    const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    await run(join(PROGRAMS, 'initdb'), ['-D', directory, ...options], { ...account, cwd: '/' });
    if (workers > 0) {
      await appendFile(join(directory, 'postgresql.conf'), await readFile(CONFIGURATION, 'utf8'));
    }
    const own = { listen_addresses: '127.0.0.1', shared_buffers: '256MB', max_connections: '200' };
    await server.configure(own);
    stack.defer(() => server.stop('SIGQUIT'));
    await server.start();
    if (workers > 0) await server.ask('CREATE EXTENSION citus');
    return server;
  };
  const count = workers === 0 ? 1 : workers + 1;
  const servers = await Promise.all(Array.from({ length: count }, start));
  const [first] = servers;
  if (first === undefined) throw new Error('no server');
  for (const [node, { url }] of servers.entries()) {
    const { port } = new URL(url);
    const add = node === 0 ? 'citus_set_coordinator_host' : 'citus_add_node';
    if (workers > 0) await first.ask(`SELECT ${add}('127.0.0.1', ${port})`);
  }
  return {
    url: first.url,
    processIds: servers.map((server) => server.processId() ?? 0),
    ask: first.ask,
  };
}
