import { createHash } from 'node:crypto';
import { chown, lstat, mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupFailure } from '@gateway/errors/startup-failure';
import type { Account } from './account.ts';
import { systemErrorCode } from './system-error-code.ts';

/** The number in the name of the socket; nothing listens on a port. */
export const socketPort = 5432;

/** The most that macOS allows; Linux allows four bytes more. */
const longestSocketPath = 103;

/** The socket's path; beside it the server keeps a lock file, its name with `.lock`. */
export function socketIn(directory: string): string {
  return join(directory, `.s.PGSQL.${socketPort}`);
}

/**
 * Where the server's socket is: in its own folder, or, where that path is too long for a socket, in
 * a folder under /tmp. It is the same for every process, so that an address stays good when another
 * process starts the server again; its name cannot be foreseen by those who cannot read the
 * password, so nobody can be there first. Not TMPDIR, which differs between processes, may itself
 * be too long, and under root is often closed to others.
 */
export function socketDirectoryOf(home: string, password: string): string {
  if (Buffer.byteLength(socketIn(home)) <= longestSocketPath) return home;
  const name = createHash('sha256').update(`${password}${home}`).digest('hex').slice(0, 32);
  return `/tmp/animal-store-${name}`;
}

/** Makes the folder when it is one under /tmp and is missing. */
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

/** Removes the folder when it is one under /tmp and no server uses it. */
export async function removeSocketDirectory(directory: string, home: string): Promise<void> {
  // Not empty: another process has just started the server again. Missing: another removed it.
  if (directory !== home) await rmdir(directory).catch(() => undefined);
}
