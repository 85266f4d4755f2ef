import { execFile } from 'node:child_process';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { accountFor } from '../../../packages/local/src/embedded/account.ts';
import { expect, onTestFinished } from 'vitest';
import { postgresServer, type PostgresServer } from '../../support/postgres-server.ts';
import { freePort } from '../../system/support/haproxy.ts';
import { PROGRAMS } from './programs.ts';

/** Settings of nodes that archive their logs, each in a folder beside its own. */
export const ARCHIVING = {
  archive_mode: 'on',
  archive_command: 'mkdir -p "$PWD-archive" && cp "%p" "$PWD-archive/%f"',
};

/** Archives what a node has logged so far. */
export async function archiveLog({ ask }: PostgresServer): Promise<void> {
  const file = String(await ask('SELECT pg_walfile_name(pg_switch_wal())'));
  await expect
    .poll(() => ask(`SELECT last_archived_wal >= '${file}' FROM pg_stat_archiver`))
    .toBe(true);
}

/** Takes a base backup of a node. @returns starts a server as the node was at a restore point */
export async function backUp(
  node: PostgresServer,
): Promise<(restorePoint: string) => Promise<PostgresServer>> {
  const account = await accountFor(join(node.directory, 'none'));
  const directory = `${node.directory}-restored`;
  const copy = ['-D', directory, '-d', node.url, '-X', 'stream', '-c', 'fast', '--no-sync'];
  await promisify(execFile)(join(PROGRAMS, 'pg_basebackup'), copy, { ...account, cwd: '/' });
  return async (restorePoint) => {
    const restored = postgresServer({
      postgres: join(PROGRAMS, 'postgres'),
      directory,
      socketDirectory: new URL(node.url).searchParams.get('host') ?? '',
      port: await freePort(),
      account,
    });
    await restored.configure({
      restore_command: `cp ${node.directory}-archive/%f %p`,
      recovery_target_name: restorePoint,
      recovery_target_action: 'promote',
    });
    const signal = join(directory, 'recovery.signal');
    await writeFile(signal, '');
    if (account !== undefined) await chown(signal, account.uid, account.gid);
    onTestFinished(() => restored.stop('SIGQUIT'));
    await restored.start();
    await expect.poll(() => restored.ask('SELECT pg_is_in_recovery()')).toBe(false);
    return restored;
  };
}
