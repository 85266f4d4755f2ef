import { randomUUID } from 'node:crypto';
import {
  readFile,
  stat,
  utimes,
  writeFile,
  mkdtemp,
  readdir,
  rename,
  rm,
  unlink,
} from 'node:fs/promises';
import { join, basename, dirname } from 'node:path';
import { StartupFailure } from '@store-gateway/ops';
import { ifExists, systemErrorCode } from './account.ts';

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
