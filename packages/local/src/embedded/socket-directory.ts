import { createHash } from 'node:crypto';
import { chown, lstat, mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupFailure } from '@store-gateway/ops';
import type { Account } from './run-program.ts';
import { systemErrorCode } from './system-error-code.ts';

/** The number in the name of the socket; nothing listens on a port. */
export const socketPort = 5432;

/** The most that macOS allows; Linux allows four bytes more. */
const MAX_SOCKET_PATH_BYTES = 103;

/** The socket's path; beside it the server keeps a lock file, its name with `.lock`. */
export function socketIn(directory: string): string {
  return join(directory, `.s.PGSQL.${socketPort}`);
}

/**
 * The folder of the server's socket: its home or, where that path is too long for a socket, one under /tmp. It is the same
 * for every process, so that an address stays valid when another process starts the server again, and unpredictable to
 * those who cannot read the password, so that nobody can occupy it. TMPDIR would differ between processes.
 */
export function socketDirectoryOf(home: string, user: string, password: string): string {
  if (Buffer.byteLength(socketIn(home)) <= MAX_SOCKET_PATH_BYTES) return home;
  const name = createHash('sha256').update(`${password}${home}`).digest('hex').slice(0, 32);
  return `/tmp/${user.replaceAll('_', '-')}-${name}`;
}

/** Makes the folder if it is one under /tmp and is missing. */
export async function makeSocketDirectory(
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

/** Removes the folder if it is one under /tmp and no server uses it. */
export async function removeSocketDirectory(directory: string, home: string): Promise<void> {
  // Not empty: another process has just started the server again. Missing: another removed it.
  if (directory !== home) await rmdir(directory).catch(() => undefined);
}
