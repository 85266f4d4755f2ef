import { access, chmod, chown, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { connectionOptions } from '@gateway/postgres/connection-options';
import { applicationName } from '@gateway/postgres/application-name';
import { makeFolderAtomically } from './atomic-folder.ts';
import { urlOf } from './attach.ts';
import { expectCluster, openCluster, type Cluster } from './cluster.ts';
import { copyFile, copyFolder, writeDurably } from './copy-folder.ts';
import { inDataDirectory } from './data-directory.ts';
import { becomeMember } from './membership.ts';

/**
 * What is not copied of a cluster, because PostgreSQL makes it anew or must not find it:
 * https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP-DATA.
 * The write-ahead log is copied last.
 */
const LEFT_OUT =
  /^(?:postmaster\.(?:pid|opts)|(?:pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\/.+|(?:.+\/)?(?:pg_internal\.init.*|pgsql_tmp.*))$/;

/**
 * Copies the embedded database of a data folder, live or not, into a data folder of its own, which is there
 * once all is on the disk. It has all that was committed when the copy began, and what was until it ended.
 *
 * @param dataDirectory absolute path
 * @param target absolute path of what doesn't exist yet, in a folder that does
 * @throws StartupFailure when there is something at the target, or no database, or it can't be had
 */
export async function backUpEmbeddedPostgres(dataDirectory: string, target: string): Promise<void> {
  await expectFree(target);
  await inDataDirectory(dataDirectory, async () => {
    await expectCluster(dataDirectory);
    const cluster = await openCluster(dataDirectory);
    const { leave } = await becomeMember(cluster);
    try {
      await makeFolderAtomically(target, async (draft) => {
        // Otherwise PostgreSQL's own user could not enter it when root runs the service.
        await chmod(draft, cluster.account === undefined ? 0o700 : 0o755);
        await copyCluster(cluster, join(draft, 'postgres'));
      });
    } finally {
      await leave();
    }
  });
}

async function expectFree(target: string): Promise<void> {
  if (await exists(target)) {
    throw new StartupFailure(`${target} exists already: say a folder that does not`);
  }
  if (!(await exists(dirname(target)))) {
    throw new StartupFailure(`${dirname(target)} does not exist`);
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function copyCluster(cluster: Cluster, home: string): Promise<void> {
  const { account } = cluster;
  await mkdir(home, { mode: 0o700 });
  await copyFile(join(cluster.home, 'password'), join(home, 'password'), account);
  const target = join(home, 'cluster');
  const client = new Client({
    ...connectionOptions(urlOf(cluster)),
    application_name: applicationName('backup'),
  });
  await client.connect();
  try {
    // For as long as this connection lives, what is logged from now on stays.
    await client.query(
      "SELECT pg_create_physical_replication_slot('backup_' || pg_backend_pid(), true, true)",
    );
    await client.query("SELECT pg_backup_start('animal-store-gateway', fast => true)");
    await copyFolder(cluster.directory, target, account, (path) => !LEFT_OUT.test(path));
    const { rows } = await client.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)',
    );
    // With it PostgreSQL begins to recover where the copy began, not where it ended.
    await writeDurably(join(target, 'backup_label'), rows[0]?.labelfile ?? '', account);
    await copyFolder(
      join(cluster.directory, 'pg_wal'),
      join(target, 'pg_wal'),
      account,
      (path) => !/^(?:archive_status|summaries)\/.+$/.test(path),
    );
  } finally {
    await client.end();
  }
  if (account !== undefined) {
    await chown(home, account.uid, account.gid);
  }
}
