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

/**
 * The file that makes a folder a draft of ours. Its maker keeps it young: process numbers mean nothing to a process of
 * another container, or of another machine that shares the disk.
 */
export const LEASE = '.draft-lease';

/** Milliseconds between renewals, and without one after which a draft is abandoned. */
const RENEWAL_MS = 5_000;
const ABANDONED_MS = 120_000;

const FIRST_LINE =
  'A draft of the embedded PostgreSQL. It is removed when this file has not been touched for 2 minutes.';

interface Lease {
  /** @throws StartupFailure if another process has taken the draft for abandoned, and removed it */
  readonly expectHeld: () => Promise<void>;
  readonly release: () => void;
}

export async function holdLease(draft: string): Promise<Lease> {
  const file = join(draft, LEASE);
  const content = `${FIRST_LINE}\n${randomUUID()}\n`;
  await writeFile(file, content, { mode: 0o600, flag: 'wx' });
  const renewals = setInterval(() => {
    const now = new Date();
    // One that is gone is noticed at the end.
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

/** Whether a folder is a draft whose maker is gone. */
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
 * Makes a folder that other processes see either complete or not at all. When several make the same
 * one at once, the first to finish wins and the others' work is discarded.
 * @param target its path; its parent exists
 * @param fill fills the draft, a folder of mode 0700 beside the target
 * @throws StartupFailure if another process has removed the draft meanwhile
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
 * Removes the target's drafts whose makers died over them. Other people's folders may be named so: a draft is known by its
 * lease. What cannot be removed now is left to the next time.
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

/** Under another name, so that a maker who only stood still finds it gone, and finishes none of which a part is left. */
async function removeAtOnce(draft: string): Promise<void> {
  const removed = `${draft}-removed`;
  await rename(draft, removed);
  await removeFolder(removed);
}

function removeFolder(folder: string): Promise<void> {
  // The initdb of a killed process may still be writing into it for a moment.
  return rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
