import { execFile } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { accountFor } from '../../../packages/local/src/embedded/account.ts';
import { expect } from 'vitest';
import { onFileFinished } from '../../support/clean-up.ts';
import { postgresServer, type PostgresServer } from '../../support/postgres-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { freePort } from '../../system/support/haproxy.ts';
import { PROGRAMS } from './programs.ts';

const WHETHER_SYNCHRONOUS =
  "SELECT sync_state FROM pg_stat_replication WHERE application_name = 'walreceiver'";

/** Gives a node a standby that confirms whatever it commits. */
export async function startStandby(node: PostgresServer): Promise<PostgresServer> {
  const folder = await temporaryDirectory();
  onFileFinished(() => folder[Symbol.asyncDispose]());
  const account = await accountFor(join(folder.path, 'none'));
  if (account !== undefined) await chown(folder.path, account.uid, account.gid);
  const directory = join(folder.path, 'data');
  const copy = ['-D', directory, '-d', node.url, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'];
  await promisify(execFile)(join(PROGRAMS, 'pg_basebackup'), copy, { ...account, cwd: '/' });
  const standby = postgresServer({
    postgres: join(PROGRAMS, 'postgres'),
    directory,
    socketDirectory: new URL(node.url).searchParams.get('host') ?? '',
    port: await freePort(),
    account,
  });
  await standby.start();
  onFileFinished(() => standby.stop('SIGQUIT'));
  await node.ask("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await node.ask('SELECT pg_reload_conf()');
  await expect.poll(() => node.ask(WHETHER_SYNCHRONOUS)).toBe('sync');
  return standby;
}
