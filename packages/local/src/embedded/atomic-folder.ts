import { mkdtemp, readdir, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { holdLease, isAbandoned, LEASE } from './draft-lease.ts';
import { systemErrorCode } from './system-error-code.ts';

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
