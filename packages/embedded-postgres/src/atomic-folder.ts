import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemErrorCode } from './system-error-code.ts';
import { isAlive } from './server-process.ts';

/**
 * Makes a folder that other processes see either complete or not at all. When several make the same
 * one at once, the first to finish wins and the others' work is discarded.
 * @param target its path; its parent exists
 * @param fill fills the draft, an empty folder of mode 0700 beside the target
 */
export async function makeFolderAtomically(
  target: string,
  fill: (draft: string) => Promise<void>,
): Promise<void> {
  await removeAbandonedDrafts(dirname(target));
  const draft = await mkdtemp(`${target}.${process.pid}.tmp-`);
  try {
    await fill(draft);
    await rename(draft, target);
  } catch (error) {
    await removeFolder(draft);
    if (!['ENOTEMPTY', 'EEXIST'].includes(systemErrorCode(error) ?? '')) throw error;
  }
}

/** Drafts of processes that died over them. What cannot be removed now is left to the next time. */
async function removeAbandonedDrafts(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const maker = /\.(\d+)\.tmp-\w{6}$/.exec(name)?.[1];
    const draft = join(parent, name);
    if (maker !== undefined && !(await isInTheMaking(draft, Number(maker)))) {
      await removeFolder(draft).catch(() => undefined);
    }
  }
}

async function isInTheMaking(draft: string, maker: number): Promise<boolean> {
  if (maker !== process.pid) return isAlive(maker);
  // In containers a restarted process often has the number of the one that died before it.
  const started = Date.now() - process.uptime() * 1000;
  return (await stat(draft)).birthtimeMs >= started;
}

function removeFolder(folder: string): Promise<void> {
  // The initdb of a killed process may still be writing into it for a moment.
  return rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
