import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const KEPT_MS = 6 * 24 * 60 * 60 * 1000;

/**
 * Removes last week's logs. The server does so itself at midnight; one that never runs then would append to the file of
 * the same weekday for ever.
 */
export async function removeOldLogs(home: string): Promise<void> {
  for (const { file, mtimeMs } of await logs(home)) {
    if (mtimeMs < Date.now() - KEPT_MS) await rm(file, { force: true });
  }
}

/** The log that was written to last. */
export async function newestLog(home: string): Promise<{ file: string; text: string } | undefined> {
  const newest = (await logs(home)).toSorted((a, b) => b.mtimeMs - a.mtimeMs)[0];
  return newest && { file: newest.file, text: await readFile(newest.file, 'utf8') };
}

async function logs(home: string): Promise<{ file: string; mtimeMs: number }[]> {
  const folder = join(home, 'log');
  const files = (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
  return Promise.all(files.map(async (file) => ({ file, mtimeMs: (await stat(file)).mtimeMs })));
}
