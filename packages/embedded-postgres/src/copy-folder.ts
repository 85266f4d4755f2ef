import { constants, copyFile as copy, chown, mkdir, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from './account.ts';
import { systemErrorCode } from './system-error-code.ts';

/**
 * Copies a folder, in which files may come and go meanwhile: into one that may be there already, with the
 * same modes, on the disk when it is done.
 *
 * @param account the owner of what is made; undefined means the user of this process
 * @param includes whether to copy a file or folder, by its path within the one that is copied
 */
export async function copyFolder(
  source: string,
  target: string,
  account: Account | undefined,
  includes: (path: string) => boolean,
): Promise<void> {
  await mkdir(target, { mode: (await stat(source)).mode, recursive: true });
  await give(target, account);
  for (const entry of await readdir(source, { withFileTypes: true })) {
    if (includes(entry.name)) {
      const [from, to] = [join(source, entry.name), join(target, entry.name)];
      await unlessGone(() =>
        entry.isDirectory()
          ? copyFolder(from, to, account, (path) => includes(join(entry.name, path)))
          : copyFile(from, to, account),
      );
    }
  }
  await flush(target);
}

export async function copyFile(
  source: string,
  target: string,
  account: Account | undefined,
): Promise<void> {
  // Where the file system can, the two share their blocks until one is written to.
  await copy(source, target, constants.COPYFILE_FICLONE);
  await give(target, account);
  await flush(target);
}

/** Writes a file that is only for its owner. */
export async function writeDurably(
  path: string,
  content: string,
  account: Account | undefined,
): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await give(path, account);
}

async function give(path: string, account: Account | undefined): Promise<void> {
  if (account !== undefined) {
    await chown(path, account.uid, account.gid);
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** What PostgreSQL removes while it is copied is not needed: the write-ahead log tells of it. */
async function unlessGone(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') {
      throw error;
    }
  }
}
