import { chmod, mkdir, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { StartupFailure } from '@store-gateway/ops';
import { nameOf, type Account, runProgram, ifExists, systemErrorCode } from './account.ts';

/** Does something in the data folder; what the file system refuses becomes a StartupFailure. */
export async function inDataDirectory<Result>(
  dataDirectory: string,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Error) || systemErrorCode(error) === undefined) throw error;
    throw new StartupFailure(`DATA_DIR (${dataDirectory}) cannot be used: ${error.message}`, {
      cause: error,
    });
  }
}

/** The same folder without symbolic links, as far as it exists. */
export async function resolveDataDirectory(dataDirectory: string): Promise<string> {
  const existing = await nearestExisting(dataDirectory);
  return join(await realpath(existing), relative(existing, dataDirectory));
}

/**
 * Makes the folder if it is missing. As root it is made so that others can enter, whatever the umask, and nothing is made
 * where PostgreSQL's user could not come.
 *
 * @throws StartupFailure when that user cannot enter
 */
export async function makeDataDirectory(
  dataDirectory: string,
  account: Account | undefined,
): Promise<void> {
  const existing = await nearestExisting(dataDirectory);
  if (account !== undefined) await expectEntry(dataDirectory, existing, account);
  const missing = ancestry(dataDirectory);
  // One by one: mkdir's `recursive` never returns where nothing can be made, as under /proc.
  for (const folder of missing.slice(0, missing.indexOf(existing)).toReversed()) {
    try {
      await mkdir(folder);
      if (account !== undefined) await chmod(folder, 0o755);
    } catch (error) {
      // Another process was quicker.
      if (systemErrorCode(error) !== 'EEXIST') throw error;
    }
  }
}

async function expectEntry(dataDirectory: string, existing: string, account: Account) {
  // Tried as that user, because modes alone don't decide (access lists, mounts, capabilities).
  const script = 'for folder; do cd "$folder" || { printf %s "$folder"; exit 1; }; done';
  const folders = ancestry(existing).toReversed();
  const { error, stdout } = await runProgram('/bin/sh', ['-c', script, 'sh', ...folders], account);
  if (error === undefined) return;
  if (stdout === '') throw error;
  throw new StartupFailure(
    `DATA_DIR (${dataDirectory}) cannot be reached by PostgreSQL, which refuses to run as root and so runs as the user ${await nameOf(account)}: ` +
      `${stdout} does not let other users in; run chmod o+x on that folder, or set DATA_DIR to a folder that others can enter, such as one in /var/lib`,
  );
}

async function nearestExisting(path: string): Promise<string> {
  for (const folder of ancestry(path)) {
    if ((await ifExists(realpath(folder))) !== undefined) return folder;
  }
  return '/';
}

/** The folder, its parent, and so on up to the root. */
function ancestry(path: string): string[] {
  const folder = resolve(path);
  const parent = dirname(folder);
  return folder === parent ? [folder] : [folder, ...ancestry(parent)];
}
