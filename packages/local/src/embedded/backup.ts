import {
  constants,
  copyFile,
  mkdir,
  open,
  readdir,
  stat,
  chmod,
  writeFile,
} from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join, dirname } from 'node:path';
import { StartupFailure } from '@store-gateway/ops';
import { type Account, ifExists } from './account.ts';
import { Client } from 'pg';
import { inDataDirectory, makeFolderAtomically } from './folders.ts';
import { becomeMember, urlOf } from './join.ts';
import { type Cluster, type ClusterNames, expectCluster, openCluster } from './server.ts';

/**
 * Copies a folder in which files may appear and disappear during the copy. The target may already exist. File modes are
 * preserved.
 *
 * @param includes whether to copy a file or folder, by its path within the copied folder
 * @returns the paths of the copies, of files and folders
 */
async function copyFolder(
  source: string,
  target: string,
  includes: (path: string) => boolean,
): Promise<string[]> {
  const copies = [target];
  await mkdir(target, { mode: (await stat(source)).mode, recursive: true });
  for (const entry of await readdir(source, { withFileTypes: true })) {
    if (!includes(entry.name)) continue;
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    // Files that PostgreSQL deletes during the copy aren't needed, because the write-ahead log has their content. If the file
    // system supports it, a file and its copy share blocks until one of them is written to.
    const copied = await ifExists(
      entry.isDirectory()
        ? copyFolder(from, to, (path) => includes(join(entry.name, path)))
        : copyFile(from, to, constants.COPYFILE_FICLONE).then(() => [to]),
    );
    if (copied === undefined && !existsSync(target)) throw incomplete(target);
    copies.push(...(copied ?? []));
  }
  return copies;
}

/**
 * Flushes files and folders to disk, and makes the account their owner, if one is given.
 *
 * @throws StartupFailure if one of them is missing
 */
export async function flush(paths: readonly string[], account: Account | undefined): Promise<void> {
  for (const path of paths) {
    await using file = await ifExists(open(path, 'r'));
    if (file === undefined) throw incomplete(path);
    if (account !== undefined) await file.chown(account.uid, account.gid);
    await file.sync();
  }
}

function incomplete(path: string): Error {
  return new StartupFailure(`${path} was removed while it was being created: try again`);
}

/**
 * Files that aren't copied, because PostgreSQL recreates them or must not find them:
 * https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP-DATA. The write-ahead log is
 * copied last.
 */
const LEFT_OUT =
  /^(?:postmaster\.(?:pid|opts)|(?:pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\/.+|(?:.+\/)?(?:pg_internal\.init.*|pgsql_tmp.*))$/;
const LEFT_OUT_OF_LOG = /^(?:archive_status|summaries)\/.+$/;

/** Files without which PostgreSQL doesn't accept a folder as a cluster. */
const NEEDED = ['PG_VERSION', 'global/pg_control'];

/**
 * Copies a data folder's embedded database, running or not, into a new data folder, which appears only when everything has been
 * written to disk. The copy contains everything that was committed before it finished.
 *
 * @param dataDirectory absolute path
 * @param target absolute path that doesn't exist yet, in a folder that does
 * @throws StartupFailure if the target exists, or if the database doesn't exist or can't be reached
 */
export async function backUpEmbeddedPostgres(
  dataDirectory: string,
  names: ClusterNames,
  target: string,
): Promise<void> {
  if (existsSync(target)) {
    throw new StartupFailure(`${target} already exists: name a folder that does not`);
  }
  if (!existsSync(dirname(target))) {
    throw new StartupFailure(`${dirname(target)} does not exist`);
  }
  await inDataDirectory(dataDirectory, async () => {
    await expectCluster(dataDirectory);
    const cluster = await openCluster(dataDirectory, names);
    const leave = await becomeMember(cluster);
    try {
      await makeFolderAtomically(target, async (draft) => {
        // If root runs the service, PostgreSQL's own user must be able to enter the folder.
        await chmod(draft, cluster.account === undefined ? 0o700 : 0o755);
        await copyCluster(cluster, join(draft, 'postgres'));
      });
    } finally {
      await leave();
    }
  });
}

async function copyCluster(cluster: Cluster, home: string): Promise<void> {
  await mkdir(home, { mode: 0o700 });
  const password = join(home, 'password');
  await copyFile(join(cluster.home, 'password'), password);
  const copies = [home, password];
  const target = join(home, 'cluster');
  const client = new Client({
    connectionString: urlOf(cluster),
    application_name: `${cluster.application} backup`,
  });
  await client.connect();
  try {
    // Retains the write-ahead log from now on, as long as this connection is open.
    await client.query(
      "SELECT pg_create_physical_replication_slot('backup_' || pg_backend_pid(), true, true)",
    );
    await client.query('SELECT pg_backup_start($1, fast => true)', [cluster.application]);
    copies.push(...(await copyFolder(cluster.directory, target, (path) => !LEFT_OUT.test(path))));
    const { rows } = await client.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)',
    );
    // With this file, PostgreSQL starts recovery where the copy began, not where it ended.
    const label = join(target, 'backup_label');
    await writeFile(label, rows[0]?.labelfile ?? '', { mode: 0o600 });
    const log = await copyFolder(
      join(cluster.directory, 'pg_wal'),
      join(target, 'pg_wal'),
      (path) => !LEFT_OUT_OF_LOG.test(path),
    );
    copies.push(label, ...log);
  } finally {
    await client.end();
  }
  // Flushes everything that was copied, whether or not the copy still exists, because a backup that has lost a file must fail.
  await flush([...copies, ...NEEDED.map((file) => join(target, file))], cluster.account);
}
