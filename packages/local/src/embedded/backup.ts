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
 * Copies a folder in which files come and go, into one that may exist already, with the same modes.
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
    // Files that PostgreSQL removes meanwhile are not needed: the write-ahead log has their content. Where the file system
    // can, a file and its copy share their blocks until one is written to.
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
 * Flushes files and folders to the disk, and gives them to the account, if there is one.
 *
 * @throws StartupFailure if one of them is not there
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
 * Not copied, because PostgreSQL makes it anew or must not find it:
 * https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP-DATA.
 * The write-ahead log is copied last.
 */
const LEFT_OUT =
  /^(?:postmaster\.(?:pid|opts)|(?:pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\/.+|(?:.+\/)?(?:pg_internal\.init.*|pgsql_tmp.*))$/;
const LEFT_OUT_OF_LOG = /^(?:archive_status|summaries)\/.+$/;

/** Without these PostgreSQL takes no folder for a cluster. */
const NEEDED = ['PG_VERSION', 'global/pg_control'];

/**
 * Copies the embedded database of a data folder, live or not, into a data folder of its own, which appears once all is on
 * the disk. It has everything that was committed when the copy began, and what was until it ended.
 *
 * @param dataDirectory absolute path
 * @param target absolute path that doesn't exist yet, in a folder that does
 * @throws StartupFailure when the target exists, or the database doesn't or can't be reached
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
        // Otherwise PostgreSQL's own user could not enter it when root runs the service.
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
    // For as long as this connection lives, what is logged from now on stays.
    await client.query(
      "SELECT pg_create_physical_replication_slot('backup_' || pg_backend_pid(), true, true)",
    );
    await client.query('SELECT pg_backup_start($1, fast => true)', [cluster.application]);
    copies.push(...(await copyFolder(cluster.directory, target, (path) => !LEFT_OUT.test(path))));
    const { rows } = await client.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)',
    );
    // With it PostgreSQL begins to recover where the copy began, not where it ended.
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
  // All that was copied, whether or not it is still there: a backup that has lost a file fails.
  await flush([...copies, ...NEEDED.map((file) => join(target, file))], cluster.account);
}
