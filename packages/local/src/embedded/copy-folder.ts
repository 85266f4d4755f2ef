import { constants, copyFile, mkdir, open, readdir, stat } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StartupFailure } from '@store-gateway/ops';
import type { Account } from './account.ts';
import { ifExists } from './system-error-code.ts';

/**
 * Copies a folder in which files come and go, into one that may exist already, with the same modes.
 *
 * @param includes whether to copy a file or folder, by its path within the copied folder
 * @returns the paths of the copies, of files and folders
 */
export async function copyFolder(
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
