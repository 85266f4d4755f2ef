import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { StartupFailure } from '@store-gateway/ops';
import type { Cluster } from './cluster.ts';
import { installedMajor, preparePrograms } from './programs.ts';
import { decisiveLine, processOptions } from './run-program.ts';
import { serverArguments } from './server-arguments.ts';
import { newestLog, removeOldLogs } from './server-log.ts';
import { pidFileOf, recordedServer, removeStaleLock, serves } from './server-process.ts';
import { makeSocketDirectory, removeSocketDirectory, socketIn } from './socket-directory.ts';
import { ifExists, systemErrorCode } from './system-error-code.ts';

const STOP_TIMEOUT_MS = 20_000;
const NO_REASON = 'it ended without a message';

/** A server process that was started and may not be ready yet. */
export interface StartedServer {
  /** Whether the process has ended. */
  hasEnded(): boolean;
  /** Once it has ended: why, in one line. */
  whyItEnded(): Promise<string>;
  /** Leaves it running for good, also when this process ends. */
  release(): void;
  /** Stops it. */
  abandon(): void;
}

/**
 * Starts `postgres` in a session of its own: neither Ctrl-C in a terminal nor the end of this process ends it, because the
 * service still needs it while it drains. Not by pg_ctl, which checks readiness only ten times a second.
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

/** @throws StartupFailure if the cluster was made by another major version, whose files this one can't read */
async function expectSameMajor({ dataDirectory, directory }: Cluster): Promise<void> {
  const [made, installed] = await Promise.all([
    ifExists(readFile(join(directory, 'PG_VERSION'), 'utf8')),
    installedMajor(),
  ]);
  if (made !== undefined && made.trim() !== installed) {
    throw new StartupFailure(
      `DATA_DIR (${dataDirectory}) has a database of PostgreSQL ${made.trim()}, and this version brings ${installed}: export it with the version that made it, and restore that (docs/postgresql.md, "Moving to another PostgreSQL")`,
    );
  }
}

async function reasonOf(output: string, home: string): Promise<string> {
  // Errors before PostgreSQL has opened its log are only on its standard error; without pg_control, in this form.
  const [, complaint] = /^postgres: ([^]+)/m.exec(output) ?? [];
  if (complaint !== undefined) return complaint.trim().replaceAll(/\s+/g, ' ');
  const log = /FATAL|PANIC/.test(output) ? undefined : await newestLog(home);
  if (log === undefined) return decisiveLine(output) ?? NO_REASON;
  const lastRun = log.text.slice(log.text.lastIndexOf('starting PostgreSQL'));
  // Our own attempts to connect were logged, too.
  const lines = lastRun.split('\n').filter((line) => !line.includes('the database system is'));
  return `${decisiveLine(lines.join('\n')) ?? NO_REASON} (see ${log.file})`;
}

/** Whether a process that serves the cluster lives, reachable or not; undefined if that is unknown. */
export async function isServed({ directory }: Cluster): Promise<boolean | undefined> {
  const pid = await recordedServer(directory);
  return pid === undefined ? false : serves(pid, directory);
}

/** Stops the cluster's server, ending its sessions; waits until it is down, 20 s at the most. */
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
