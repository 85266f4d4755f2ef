import { constants, copyFile, mkdir, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from './account.ts';
import { ifExists } from './system-error-code.ts';

/**
 * Copies a folder in which files come and go, into one that may exist already, with the same modes.
 *
 * @param includes whether to copy a file or folder, by its path within the copied folder
 */
export async function copyFolder(
  source: string,
  target: string,
  includes: (path: string) => boolean,
): Promise<void> {
  await mkdir(target, { mode: (await stat(source)).mode, recursive: true });
  for (const entry of await readdir(source, { withFileTypes: true })) {
    if (!includes(entry.name)) continue;
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    // What PostgreSQL removes meanwhile is not needed: the write-ahead log has it. Where the file system can, a file and
    // its copy share their blocks until one is written to.
    await ifExists(
      entry.isDirectory()
        ? copyFolder(from, to, (path) => includes(join(entry.name, path)))
        : copyFile(from, to, constants.COPYFILE_FICLONE),
    );
  }
}

/** Flushes a folder with all that is in it to the disk, and gives it to the account, if there is one. */
export async function flushFolder(folder: string, account: Account | undefined): Promise<void> {
  for (const path of ['', ...(await readdir(folder, { recursive: true }))]) {
    await using file = await open(join(folder, path), 'r');
    if (account !== undefined) await file.chown(account.uid, account.gid);
    await file.sync();
  }
}
