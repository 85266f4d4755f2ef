import { StartupFailure } from '@store-gateway/ops';
import { randomUUID } from 'node:crypto';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type Account, ifExists, nameOf, runProgram, systemErrorCode } from './account.ts';

/** Runs an action on the data folder, and converts errors from the file system to a StartupFailure. */
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

/** Returns a data folder's path with symbolic links resolved, as far as the path exists. */
export async function resolveDataDirectory(dataDirectory: string): Promise<string> {
  const existing = await nearestExisting(dataDirectory);
  return join(await realpath(existing), relative(existing, dataDirectory));
}

/**
 * Creates the data folder if it is missing. If the process runs as root, it allows other users to enter new folders, whatever the
 * umask, and creates nothing where PostgreSQL's user has no access.
 *
 * @throws StartupFailure if that user can't enter the data folder
 */
export async function makeDataDirectory(
  dataDirectory: string,
  account: Account | undefined,
): Promise<void> {
  const existing = await nearestExisting(dataDirectory);
  if (account !== undefined) await expectEntry(dataDirectory, existing, account);
  const missing = ancestry(dataDirectory);
  // Created one by one, because mkdir with `recursive` never returns where nothing can be created, such as under /proc.
  for (const folder of missing.slice(0, missing.indexOf(existing)).toReversed()) {
    try {
      await mkdir(folder);
      if (account !== undefined) await chmod(folder, 0o755);
    } catch (error) {
      // Another process has created it first.
      if (systemErrorCode(error) !== 'EEXIST') throw error;
    }
  }
}

async function expectEntry(dataDirectory: string, existing: string, account: Account) {
  // Tested as that user, because access depends not only on modes, but also on access lists, mounts and capabilities.
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

/** Returns the folder, its parent, and so on up to the root. */
function ancestry(path: string): string[] {
  const folder = resolve(path);
  const parent = dirname(folder);
  return folder === parent ? [folder] : [folder, ...ancestry(parent)];
}

/**
 * The file that marks a folder as a draft. The process that fills the draft keeps renewing the file's modification time. A
 * process id wouldn't work, because another container, or another machine with the same disk, couldn't interpret it.
 */
export const LEASE = '.draft-lease';

/**
 * The interval at which a lease is renewed, and the time without a renewal after which its draft counts as abandoned, in
 * milliseconds.
 */
const RENEWAL_MS = 5_000;
const ABANDONED_MS = 120_000;

const FIRST_LINE =
  'A draft of the embedded PostgreSQL. It is removed when this file has not been touched for 2 minutes.';

interface Lease {
  /** @throws StartupFailure if another process considered the draft abandoned and removed it */
  readonly expectHeld: () => Promise<void>;
  readonly release: () => void;
}

export async function holdLease(draft: string): Promise<Lease> {
  const file = join(draft, LEASE);
  const content = `${FIRST_LINE}\n${randomUUID()}\n`;
  await writeFile(file, content, { mode: 0o600, flag: 'wx' });
  const renewals = setInterval(() => {
    const now = new Date();
    // If the file is gone, `expectHeld` reports that at the end.
    utimes(file, now, now).catch(() => undefined);
  }, RENEWAL_MS);
  renewals.unref();
  return {
    expectHeld: async () => {
      if ((await ifExists(readFile(file, 'utf8'))) !== content) {
        throw new StartupFailure(`${draft} was removed while it was being created: try again`);
      }
    },
    release: () => clearInterval(renewals),
  };
}

/** Whether a folder is a draft whose process is gone. */
async function isAbandoned(folder: string): Promise<boolean> {
  const file = join(folder, LEASE);
  const content = await readFile(file, 'utf8').catch(() => '');
  const renewed = await stat(file).catch(() => undefined);
  return (
    content.startsWith(FIRST_LINE) &&
    renewed !== undefined &&
    Date.now() - renewed.mtimeMs > ABANDONED_MS
  );
}

/**
 * Creates a folder that other processes see either complete or not at all. If several processes create the same one at once, the
 * first to finish wins and the others' work is discarded.
 * @param target the folder's path; its parent must exist
 * @param fill fills the draft, a folder of mode 0700 next to the target
 * @throws StartupFailure if another process has removed the draft in the meantime
 */
export async function makeFolderAtomically(
  target: string,
  fill: (draft: string) => Promise<void>,
): Promise<void> {
  await removeAbandonedDrafts(target);
  const draft = await mkdtemp(draftPrefix(target));
  try {
    const lease = await holdLease(draft);
    try {
      await fill(draft);
      await lease.expectHeld();
    } finally {
      lease.release();
    }
    await unlink(join(draft, LEASE));
    await rename(draft, target);
  } catch (error) {
    await removeFolder(draft);
    if (!['ENOTEMPTY', 'EEXIST'].includes(systemErrorCode(error) ?? '')) throw error;
  }
}

function draftPrefix(target: string): string {
  return `${target}.tmp-`;
}

/**
 * Removes the target's drafts whose processes are gone. Unrelated folders may have similar names, so a draft is recognized by its
 * lease. Drafts that can't be removed now are left for the next call.
 */
async function removeAbandonedDrafts(target: string): Promise<void> {
  const parent = dirname(target);
  const prefix = basename(draftPrefix(target));
  for (const name of await readdir(parent)) {
    const draft = join(parent, name);
    if (name.startsWith(prefix) && (await isAbandoned(draft))) {
      await removeAtOnce(draft).catch(() => undefined);
    }
  }
}

/**
 * Renames a draft, then deletes it. So a process that was only suspended finds its draft gone, and can't publish a partly deleted
 * one.
 */
async function removeAtOnce(draft: string): Promise<void> {
  const removed = `${draft}-removed`;
  await rename(draft, removed);
  await removeFolder(removed);
}

function removeFolder(folder: string): Promise<void> {
  // The initdb of a killed process may still write into the folder for a moment.
  return rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
