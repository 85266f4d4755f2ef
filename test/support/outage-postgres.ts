import { EMBEDDED } from './store-database.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { attachOrStart } from '../../packages/local/src/embedded/join.ts';
import { openCluster, stopServer } from '../../packages/local/src/embedded/server.ts';
import { embeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A PostgreSQL that is away when the test wants it, and that nobody else brings back. */
export interface OutagePostgres extends AsyncDisposable, Pick<EmbeddedPostgres, 'url' | 'crash'> {
  readonly start: () => Promise<void>;
  /** Has it start as a standby the next time: it takes no writes until it is promoted. */
  readonly standBy: () => Promise<void>;
  readonly freeze: () => Promise<void>;
  readonly thaw: () => Promise<void>;
}

export async function startOutagePostgres(): Promise<OutagePostgres> {
  const directory = await temporaryDirectory();
  const cluster = await openCluster(directory.path, EMBEDDED);
  const { url, crash, freeze } = await embeddedPostgres(directory.path);
  let goOn: (() => void) | undefined;

  const start = async () => {
    const member = await attachOrStart(cluster, new AbortController().signal);
    await member.end();
  };
  const thaw = async () => {
    goOn?.();
  };

  await start();
  return {
    url,
    start,
    standBy: () => writeFile(join(cluster.directory, 'standby.signal'), ''),
    crash,
    freeze: async () => {
      goOn = await freeze();
    },
    thaw,
    [Symbol.asyncDispose]: async () => {
      await thaw();
      await stopServer(cluster);
      await directory[Symbol.asyncDispose]();
    },
  };
}
