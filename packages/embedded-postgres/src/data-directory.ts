import { chmod, mkdir, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { type Account, nameOf } from './account.ts';
import { systemErrorCode } from './system-error-code.ts';
import { runProgram } from './run-program.ts';

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
 * Makes the folder when it is missing. As root it is made so that others can enter, whatever the
 * umask, and nothing is made where PostgreSQL's user could not come.
 * @throws StartupFailure when that user cannot enter
 */
export async function makeDataDirectory(
  dataDirectory: string,
  account: Account | undefined,
): Promise<void> {
  const existing = await nearestExisting(dataDirectory);
  if (account !== undefined) await requireEntry(dataDirectory, existing, account);
  const all = [...ancestry(dataDirectory)];
  // One by one: mkdir's `recursive` never returns where nothing can be made, as under /proc.
  for (const folder of all.slice(0, all.indexOf(existing)).toReversed()) {
    if ((await makeFolder(folder)) && account !== undefined) await chmod(folder, 0o755);
  }
}

/** @returns false when another process was quicker */
async function makeFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function requireEntry(dataDirectory: string, existing: string, account: Account) {
  // Tried as that user: modes alone do not tell (access lists, mounts, capabilities).
  const script = 'for folder; do cd "$folder" || { printf %s "$folder"; exit 1; }; done';
  const folders = [...ancestry(existing)].toReversed();
  const { error, stdout } = await runProgram('/bin/sh', ['-c', script, 'sh', ...folders], account);
  if (error === undefined) return;
  if (stdout === '') throw error;
  throw new StartupFailure(
    `DATA_DIR (${dataDirectory}) is out of reach for PostgreSQL, which runs as the user ${await nameOf(account)} because root may not run it: ` +
      `${stdout} lets nobody else in; run chmod o+x on that folder, or set DATA_DIR to a folder that others can enter, such as DATA_DIR=/var/lib/animal-store`,
  );
}

async function nearestExisting(path: string): Promise<string> {
  for (const folder of ancestry(path)) {
    try {
      await realpath(folder);
      return folder;
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') throw error;
    }
  }
  return '/';
}

/** The folder, its parent, and so on up to the root. */
function* ancestry(path: string): Generator<string> {
  let folder = resolve(path);
  for (; folder !== dirname(folder); folder = dirname(folder)) yield folder;
  yield folder;
}
