import { attachOrStart } from '../../src/database/embedded/attach-or-start.ts';
import { urlOf } from '../../src/database/embedded/attach.ts';
import { openCluster } from '../../src/database/embedded/cluster.ts';
import { recordedServer } from '../../src/database/embedded/server-process.ts';
import { stopServer } from '../../src/database/embedded/server.ts';
import { childrenOf } from './process-list.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A PostgreSQL that is away when the test wants it, and that nobody else brings back. */
export interface OutagePostgres extends AsyncDisposable {
  readonly url: string;
  readonly start: () => Promise<void>;
  /** Kills it. */
  readonly crash: () => Promise<void>;
  /** Halts all of its processes: connections stay open, more are taken, and nobody answers. */
  readonly freeze: () => Promise<void>;
  readonly thaw: () => Promise<void>;
}

export async function startOutagePostgres(): Promise<OutagePostgres> {
  const directory = await temporaryDirectory();
  const cluster = await openCluster(directory.path);
  const url = urlOf(cluster);
  const frozen = new Set<number>();

  const send = async (signal: NodeJS.Signals) => {
    const server = await recordedServer(cluster.directory);
    if (server === undefined) {
      throw new Error('PostgreSQL does not run');
    }
    process.kill(server, signal);
    return server;
  };
  const start = async () => {
    const member = await attachOrStart(cluster, new AbortController().signal);
    await member.end();
  };
  const freeze = async () => {
    const server = await send('SIGSTOP');
    frozen.add(server);
    // From now on it makes no more of them; those that it has just made are in no view of its own yet.
    for (const pid of await childrenOf(server)) {
      process.kill(pid, 'SIGSTOP');
      frozen.add(pid);
    }
  };
  const thaw = async () => {
    for (const pid of frozen) {
      process.kill(pid, 'SIGCONT');
    }
    frozen.clear();
  };

  await start();
  return {
    url,
    start,
    crash: async () => {
      await send('SIGKILL');
    },
    freeze,
    thaw,
    [Symbol.asyncDispose]: async () => {
      await thaw();
      await stopServer(cluster);
      await directory[Symbol.asyncDispose]();
    },
  };
}
