import {
  readdir,
  readFile,
  rm,
  stat,
  link,
  readlink,
  realpath,
  rename,
  chown,
  lstat,
  mkdir,
  rmdir,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import {
  ifExists,
  systemErrorCode,
  type Account,
  fatalLine,
  processOptions,
  accountFor,
  runProgram,
} from './account.ts';
import { createHash, randomBytes } from 'node:crypto';
import { StartupFailure } from '@store-gateway/ops';
import { spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { installedMajor, preparePrograms } from './programs.ts';
import { makeFolderAtomically, resolveDataDirectory } from './folders.ts';

/**
 * Before recovery, PostgreSQL syncs each of a cluster's 1,000 files, which is most of a killed server's downtime on a busy
 * machine: 2.7 s. Syncing the whole file system, which only Linux supports, takes 0.7 s.
 */
const RECOVERY_ON_LINUX = { recovery_init_sync_method: 'syncfs' };

/**
 * Makes a server exit when one of its processes crashes; its members then start a new server. When PostgreSQL 18.4 restarts
 * itself while clients connect, it may wait forever for a recovery that has failed because the disk is full. That happened in 13
 * of 40 attempts.
 */
const END_AFTER_CRASH = { restart_after_crash: 'off' };

/**
 * Returns the arguments for `postgres`. Settings are passed as arguments rather than in postgresql.conf, so that they also apply
 * to clusters of earlier versions, and no edit can open the server to a network.
 */
export function serverArguments({ directory, socketDirectory }: Cluster): string[] {
  const settings = {
    listen_addresses: '',
    port: socketPort,
    // The setting is a list; a quoted element may contain commas and spaces.
    unix_socket_directories: `"${socketDirectory.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    // One log file for each weekday, which is overwritten a week later.
    logging_collector: 'on',
    log_destination: 'stderr',
    log_directory: '../log',
    log_filename: 'server-%a.log',
    log_rotation_age: '1d',
    log_rotation_size: '0',
    log_truncate_on_rotation: 'on',
    ...END_AFTER_CRASH,
    ...(process.platform === 'linux' && RECOVERY_ON_LINUX),
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', directory, ...options];
}

const LOGS_KEPT_MS = 6 * 24 * 60 * 60 * 1000;

/**
 * Deletes last week's logs. The server overwrites them at midnight, but a server that never runs at midnight would append to the
 * same weekday's file forever.
 */
async function removeOldLogs(home: string): Promise<void> {
  for (const { file, mtimeMs } of await logs(home)) {
    if (mtimeMs < Date.now() - LOGS_KEPT_MS) await rm(file, { force: true });
  }
}

/** Returns the most recently written log. */
async function newestLog(home: string): Promise<{ file: string; text: string } | undefined> {
  const newest = (await logs(home)).toSorted((a, b) => b.mtimeMs - a.mtimeMs)[0];
  return newest && { file: newest.file, text: await readFile(newest.file, 'utf8') };
}

async function logs(home: string): Promise<{ file: string; mtimeMs: number }[]> {
  const folder = join(home, 'log');
  const files = (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
  return Promise.all(files.map(async (file) => ({ file, mtimeMs: (await stat(file)).mtimeMs })));
}

/** Whether a process with this id exists, whichever user it runs as. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}

/** Returns the file that holds the process id of a cluster's server. */
function pidFileOf(clusterDirectory: string): string {
  return join(clusterDirectory, 'postmaster.pid');
}

/** Returns the process id in a cluster's postmaster.pid; undefined if there is none. */
export async function recordedServer(clusterDirectory: string): Promise<number | undefined> {
  return readPid(pidFileOf(clusterDirectory));
}

/** Whether a process is the cluster's server; undefined if the process exists but the system reveals nothing else about it. */
async function serves(pid: number, clusterDirectory: string): Promise<boolean | undefined> {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return undefined;
  try {
    // PostgreSQL's working directory is its cluster.
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(clusterDirectory));
  } catch (error) {
    // A zombie has no working directory.
    return systemErrorCode(error) === 'ENOENT' ? false : undefined;
  }
}

/**
 * Deletes a lock file of the cluster's server (postmaster.pid, or the socket's) whose process id now belongs to another program
 * or a zombie. Both cases are common in containers, and PostgreSQL would refuse to start.
 */
async function removeStaleLock(file: string, clusterDirectory: string): Promise<void> {
  const pid = await readPid(file);
  if (pid === undefined || !isAlive(pid) || (await serves(pid, clusterDirectory)) !== false) return;
  const aside = `${file}.${process.pid}`;
  await ifExists(rename(file, aside));
  // Between reading and renaming, another process may also have deleted the file and started a server.
  if ((await readPid(aside)) !== pid) await link(aside, file).catch(() => undefined);
  await rm(aside, { force: true });
}

async function readPid(file: string): Promise<number | undefined> {
  const pid = Number.parseInt((await ifExists(readFile(file, 'utf8'))) ?? '', 10);
  return pid > 0 ? pid : undefined;
}

/** The port number in the socket's name. Nothing listens on the TCP port with this number. */
export const socketPort = 5432;

/** The maximum length of a socket's path on macOS. Linux allows four bytes more. */
const MAX_SOCKET_PATH_BYTES = 103;

/** Returns the socket's path. The server's lock file has the same path with `.lock` appended. */
function socketIn(directory: string): string {
  return join(directory, `.s.PGSQL.${socketPort}`);
}

/**
 * Returns the folder of the server's socket: the cluster's home or, if that path is too long for a socket, a folder under /tmp.
 * All processes compute the same folder, so an address stays valid when another process restarts the server. TMPDIR would differ
 * between processes. The folder can't be predicted without the password, so no other user can occupy it.
 */
function socketDirectoryOf(home: string, user: string, password: string): string {
  if (Buffer.byteLength(socketIn(home)) <= MAX_SOCKET_PATH_BYTES) return home;
  const name = createHash('sha256').update(`${password}${home}`).digest('hex').slice(0, 32);
  return `/tmp/${user.replaceAll('_', '-')}-${name}`;
}

/** Creates the socket's folder if it is under /tmp and missing. */
async function makeSocketDirectory(
  directory: string,
  home: string,
  account: Account | undefined,
): Promise<void> {
  if (directory === home) return;
  try {
    await mkdir(directory, { mode: 0o700 });
    if (account !== undefined) await chown(directory, account.uid, account.gid);
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
    const existing = await lstat(directory);
    if (existing.isDirectory() && [0, account?.uid ?? process.geteuid?.()].includes(existing.uid)) {
      return;
    }
    throw new StartupFailure(`${directory} is in the way of PostgreSQL's socket: remove it`, {
      cause: error,
    });
  }
}

/** Removes the socket's folder if it is under /tmp and no server uses it. */
async function removeSocketDirectory(directory: string, home: string): Promise<void> {
  // rmdir fails if another process has just restarted the server there, or has already deleted the folder.
  if (directory !== home) await rmdir(directory).catch(() => undefined);
}

const STOP_TIMEOUT_MS = 20_000;
const NO_REASON = 'it exited without a message';

/** A server process that was started, and that may not be ready yet. */
export interface StartedServer {
  /** Whether the process has ended. */
  hasEnded(): boolean;
  /** Returns the reason in one line, after the process has ended. */
  whyItEnded(): Promise<string>;
  /** Lets the server keep running after this process ends. */
  release(): void;
  /** Stops the process. */
  abandon(): void;
}

/**
 * Starts `postgres` in its own session, so that neither Ctrl-C in a terminal nor the end of this process ends it. The service
 * still needs it while it drains. pg_ctl isn't used, because it checks readiness only ten times a second.
 */
export async function startServer(cluster: Cluster): Promise<StartedServer> {
  const { dataDirectory, directory, home, socketDirectory, account } = cluster;
  const { postgres } = await preparePrograms(dataDirectory, account);
  await expectSameMajor(cluster);
  await makeSocketDirectory(socketDirectory, home, account);
  await removeStaleLock(pidFileOf(directory), directory);
  await removeStaleLock(`${socketIn(socketDirectory)}.lock`, directory);
  await removeOldLogs(home);

  let ended = false;
  let output = '';
  const child = spawn(postgres, serverArguments(cluster), {
    ...processOptions,
    ...account,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.once('close', () => (ended = true));
  child.once('error', ({ message }) => {
    output += `FATAL: ${message}`;
    ended = true;
  });
  return {
    hasEnded: () => ended,
    whyItEnded: () => reasonOf(output, home),
    release: () => {
      child.stderr.destroy();
      child.unref();
    },
    abandon: () => child.kill('SIGINT'),
  };
}

/** @throws StartupFailure if a different major version created the cluster, because this version can't read its files */
async function expectSameMajor({ dataDirectory, directory }: Cluster): Promise<void> {
  const [made, installed] = await Promise.all([
    ifExists(readFile(join(directory, 'PG_VERSION'), 'utf8')),
    installedMajor(),
  ]);
  if (made !== undefined && made.trim() !== installed) {
    throw new StartupFailure(
      `DATA_DIR (${dataDirectory}) contains a PostgreSQL ${made.trim()} database, but this version comes with ${installed}: export it with the version that created it, and restore the export (docs/postgresql.md, "Moving to another PostgreSQL")`,
    );
  }
}

async function reasonOf(output: string, home: string): Promise<string> {
  // Errors before PostgreSQL opens its log are only on standard error. For example, a missing pg_control is reported in this
  // form.
  const [, complaint] = /^postgres: ([^]+)/m.exec(output) ?? [];
  if (complaint !== undefined) return complaint.trim().replaceAll(/\s+/g, ' ');
  const log = /FATAL|PANIC/.test(output) ? undefined : await newestLog(home);
  if (log === undefined) return fatalLine(output) ?? NO_REASON;
  const lastRun = log.text.slice(log.text.lastIndexOf('starting PostgreSQL'));
  // Skips lines that our own connection attempts caused.
  const lines = lastRun.split('\n').filter((line) => !line.includes('the database system is'));
  return `${fatalLine(lines.join('\n')) ?? NO_REASON} (see ${log.file})`;
}

/** Whether the cluster's server exists, reachable or not; undefined if that is unknown. */
export async function isServed({ directory }: Cluster): Promise<boolean | undefined> {
  const pid = await recordedServer(directory);
  return pid === undefined ? false : serves(pid, directory);
}

/** Stops the cluster's server and ends its sessions. Waits up to 20 s until the server is down. */
export async function stopServer({ directory, home, socketDirectory }: Cluster): Promise<void> {
  const pid = await recordedServer(directory);
  if (pid === undefined || (await serves(pid, directory)) === false) return;
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if (systemErrorCode(error) !== 'ESRCH') throw error;
  }
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  while ((await serves(pid, directory)) !== false && performance.now() < deadline) {
    await setTimeout(5);
  }
  await removeSocketDirectory(socketDirectory, home);
}

/** A cluster's names. They are the same for every process that shares it, and in every version. */
export interface ClusterNames {
  /** PostgreSQL's superuser, the owner of everything. */
  readonly user: string;
  /** The prefix of the connections' application_name in pg_stat_activity. */
  readonly application: string;
}

/** An embedded PostgreSQL on disk. All paths are absolute and without symbolic links. */
export interface Cluster extends ClusterNames {
  readonly dataDirectory: string;
  /** The folder that contains PostgreSQL's own folder, the password, the logs and usually the socket. */
  readonly home: string;
  /** PostgreSQL's own folder. */
  readonly directory: string;
  readonly socketDirectory: string;
  readonly password: string;
  readonly account: Account | undefined;
}

/**
 * Opens a data folder's cluster, and creates it if there is none. Several processes may do this at once: all of them get the
 * same cluster.
 *
 * @throws StartupFailure
 */
export async function openCluster(givenDirectory: string, names: ClusterNames): Promise<Cluster> {
  const dataDirectory = await resolveDataDirectory(givenDirectory);
  const home = join(dataDirectory, 'postgres');
  const account = await accountFor(home);
  let password = await readPassword(home);
  if (password === undefined) {
    await createCluster(dataDirectory, home, account, names);
    password = await readPassword(home);
  }
  if (password === undefined) {
    throw new StartupFailure(
      `DATA_DIR: ${home} exists but was not created by this program; move it away, or set a different DATA_DIR`,
    );
  }
  const socketDirectory = socketDirectoryOf(home, names.user, password);
  const directory = join(home, 'cluster');
  return { ...names, dataDirectory, home, directory, socketDirectory, password, account };
}

/** Whether a data folder has a cluster. */
export async function hasCluster(dataDirectory: string): Promise<boolean> {
  const home = join(await resolveDataDirectory(dataDirectory), 'postgres');
  return (await readPassword(home)) !== undefined;
}

/** @throws StartupFailure if a data folder has no cluster, for callers that must not create one */
export async function expectCluster(dataDirectory: string): Promise<void> {
  if (!(await hasCluster(dataDirectory))) {
    throw new StartupFailure(
      `DATA_DIR: there is no store in ${dataDirectory}; set it to the service's data folder`,
    );
  }
}

function readPassword(home: string): Promise<string | undefined> {
  return ifExists(readFile(join(home, 'password'), 'utf8'));
}

async function createCluster(
  dataDirectory: string,
  home: string,
  account: Account | undefined,
  { user }: ClusterNames,
): Promise<void> {
  const { initdb } = await preparePrograms(dataDirectory, account);
  await makeFolderAtomically(home, async (draft) => {
    const passwordFile = join(draft, 'password');
    // Flushed before the cluster is created: without the password, the cluster would be inaccessible after a power cut.
    await writeFile(passwordFile, randomBytes(32).toString('hex'), { mode: 0o600, flush: true });
    if (account !== undefined) {
      await chown(passwordFile, account.uid, account.gid);
      await chown(draft, account.uid, account.gid);
    }
    const options = [
      `--pgdata=${join(draft, 'cluster')}`,
      `--username=${user}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
    ];
    const { error, stderr } = await runProgram(initdb, options, account);
    if (error === undefined) return;
    throw new StartupFailure(
      `PostgreSQL could not create its database in DATA_DIR (${dataDirectory}): ${fatalLine(stderr) ?? error.message}`,
      { cause: error },
    );
  });
}
