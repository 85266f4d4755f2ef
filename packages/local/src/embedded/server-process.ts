import { link, readFile, readlink, realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ifExists, systemErrorCode } from './system-error-code.ts';

/** Whether a process with this number exists, of any user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}

/** The file in which a cluster's server keeps its process number. */
export function pidFileOf(clusterDirectory: string): string {
  return join(clusterDirectory, 'postmaster.pid');
}

/** The process number in a cluster's postmaster.pid; undefined if there is none. */
export async function recordedServer(clusterDirectory: string): Promise<number | undefined> {
  return readPid(pidFileOf(clusterDirectory));
}

/** Whether a process serves the cluster; undefined if it lives and the system says no more. */
export async function serves(pid: number, clusterDirectory: string): Promise<boolean | undefined> {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return undefined;
  try {
    // PostgreSQL's working folder is its cluster.
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(clusterDirectory));
  } catch (error) {
    // A zombie has no working folder.
    return systemErrorCode(error) === 'ENOENT' ? false : undefined;
  }
}

/**
 * Removes a lock file of the cluster's server (postmaster.pid, or the socket's) whose process number is another
 * program's by now, or a zombie's. Both are common in containers, and PostgreSQL would refuse to start.
 */
export async function removeStaleLock(file: string, clusterDirectory: string): Promise<void> {
  const pid = await readPid(file);
  if (pid === undefined || !isAlive(pid) || (await serves(pid, clusterDirectory)) !== false) return;
  const aside = `${file}.${process.pid}`;
  await ifExists(rename(file, aside));
  // Between reading and renaming, another process may have removed it too and started a server.
  if ((await readPid(aside)) !== pid) await link(aside, file).catch(() => undefined);
  await rm(aside, { force: true });
}

async function readPid(file: string): Promise<number | undefined> {
  const pid = Number.parseInt((await ifExists(readFile(file, 'utf8'))) ?? '', 10);
  return pid > 0 ? pid : undefined;
}
