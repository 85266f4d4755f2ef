import { link, readFile, readlink, realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from './system-error-code.ts';

/** Whether a process with this number exists, whoever's it is. */
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

/** The process number in a cluster's postmaster.pid; undefined when there is none. */
export async function recordedServer(clusterDirectory: string): Promise<number | undefined> {
  return readPid(pidFileOf(clusterDirectory));
}

/** Whether a process serves the cluster; undefined when it lives but the system tells no more. */
export async function serves(pid: number, clusterDirectory: string): Promise<boolean | undefined> {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return undefined;
  try {
    // PostgreSQL's working folder is its cluster.
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(clusterDirectory));
  } catch (error) {
    // A process that has ended but that its parent has not noticed has no working folder.
    return systemErrorCode(error) === 'ENOENT' ? false : undefined;
  }
}

/**
 * Removes a lock file of the cluster's server (postmaster.pid, or the socket's) whose process number
 * is another program's by now, or that of a process which has ended but whose parent has not
 * noticed. Both are common in containers, and PostgreSQL would take either for a live server and
 * refuse to start.
 */
export async function removeMisleadingLock(file: string, clusterDirectory: string): Promise<void> {
  const pid = await readPid(file);
  if (pid === undefined || !isAlive(pid) || (await serves(pid, clusterDirectory)) !== false) return;
  const aside = `${file}.${process.pid}`;
  try {
    await rename(file, aside);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return;
    throw error;
  }
  // Between reading and renaming, another process may have removed it too and started a server.
  if ((await readPid(aside)) !== pid) await link(aside, file).catch(() => undefined);
  await rm(aside);
}

async function readPid(file: string): Promise<number | undefined> {
  try {
    const pid = Number.parseInt(await readFile(file, 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
