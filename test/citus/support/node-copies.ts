import { execFile } from 'node:child_process';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { accountFor } from '../../../packages/local/src/embedded/account.ts';
import { onFileFinished } from '../../support/clean-up.ts';
import { postgresServer, type PostgresServer } from '../../support/postgres-server.ts';
import { freePort } from '../../system/support/haproxy.ts';
import { PROGRAMS } from './programs.ts';

/** Settings that make each node archive its WAL in a folder beside its data folder. */
export const ARCHIVING = {
  archive_mode: 'on',
  archive_command: 'mkdir -p "$PWD-archive" && cp "%p" "$PWD-archive/%f"',
};

/** Copies a node. @returns the copy, which is not started */
async function copyOf(node: PostgresServer, ...options: readonly string[]) {
  const account = await accountFor(join(node.directory, 'none'));
  const directory = `${node.directory}-copy`;
  const copy = ['-D', directory, '-d', node.url, '-X', 'stream', '-c', 'fast', '--no-sync'];
  const how = { ...account, cwd: '/' };
  await promisify(execFile)(join(PROGRAMS, 'pg_basebackup'), [...copy, ...options], how);
  const server = postgresServer({
    postgres: join(PROGRAMS, 'postgres'),
    directory,
    socketDirectory: new URL(node.url).searchParams.get('host') ?? '',
    port: await freePort(),
    account,
  });
  return { server, account };
}

/** Starts a standby that confirms each commit of a node. */
export async function startStandby(node: PostgresServer): Promise<PostgresServer> {
  const { server } = await copyOf(node, '-R');
  await server.start();
  onFileFinished(() => server.stop('SIGQUIT'));
  await node.ask("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await node.ask('SELECT pg_reload_conf()');
  const state = "SELECT sync_state FROM pg_stat_replication WHERE application_name = 'walreceiver'";
  await expect.poll(() => node.ask(state)).toBe('sync');
  return server;
}

/** Archives the WAL that a node has written so far. */
export async function archiveLog({ ask }: PostgresServer): Promise<void> {
  const file = String(await ask('SELECT pg_walfile_name(pg_switch_wal())'));
  await expect
    .poll(() => ask(`SELECT last_archived_wal >= '${file}' FROM pg_stat_archiver`))
    .toBe(true);
}

/** Takes a base backup of a node. @returns a function that starts a server with the node's state at a restore point */
export async function backUp(
  node: PostgresServer,
): Promise<(restorePoint: string) => Promise<PostgresServer>> {
  const { server, account } = await copyOf(node);
  return async (restorePoint) => {
    await server.configure({
      restore_command: `cp ${node.directory}-archive/%f %p`,
      recovery_target_name: restorePoint,
      recovery_target_action: 'promote',
    });
    const signal = join(server.directory, 'recovery.signal');
    await writeFile(signal, '');
    if (account !== undefined) await chown(signal, account.uid, account.gid);
    onFileFinished(() => server.stop('SIGQUIT'));
    await server.start();
    await expect.poll(() => server.ask('SELECT pg_is_in_recovery()')).toBe(false);
    return server;
  };
}
