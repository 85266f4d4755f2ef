import { readdir, readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { Server } from '../processes/server.ts';

/** Milliseconds between two looks. */
const PAUSE = 20;

/** The process ids of a supervisor's workers, the oldest first. */
export async function workersOf({ processId }: Server): Promise<number[]> {
  const children = await readFile(`/proc/${processId}/task/${processId}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
}

/** Does what ends a worker, and waits until another one serves, by the log. */
export async function untilReplaced(
  log: string,
  endWorker: () => void,
  signal: AbortSignal,
): Promise<void> {
  const replacements = async (): Promise<number> =>
    (await readFile(log, 'utf8')).split('"msg":"the worker is replaced"').length;
  const before = await replacements();
  endWorker();
  while ((await replacements()) === before) {
    await setTimeout(PAUSE, undefined, { signal });
  }
}

export async function descriptorsOf({ processId }: Server): Promise<number> {
  return (await readdir(`/proc/${processId}/fd`)).length;
}
