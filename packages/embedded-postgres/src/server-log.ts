import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const daysKept = 6;

/**
 * Removes logs of last week. The server does so itself at midnight; one that never runs at midnight
 * would append to the files of the same weekday for ever.
 */
export async function removeOldLogs(home: string): Promise<void> {
  const oldest = Date.now() - daysKept * 24 * 60 * 60 * 1000;
  for (const { file, changed } of await logs(home)) {
    if (changed < oldest) await rm(file, { force: true });
  }
}

/** The log that was written to last. */
export async function newestLog(home: string): Promise<{ file: string; text: string } | undefined> {
  const newest = (await logs(home)).toSorted((a, b) => b.changed - a.changed)[0];
  return newest && { file: newest.file, text: await readFile(newest.file, 'utf8') };
}

async function logs(home: string): Promise<{ file: string; changed: number }[]> {
  const folder = join(home, 'log');
  const names = await readdir(folder).catch(() => []);
  return Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      return { file, changed: (await stat(file)).mtimeMs };
    }),
  );
}
