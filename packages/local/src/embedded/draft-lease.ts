import { randomUUID } from 'node:crypto';
import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupFailure } from '@store-gateway/ops';
import { ifExists } from './system-error-code.ts';

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
export async function isAbandoned(folder: string): Promise<boolean> {
  const file = join(folder, LEASE);
  const content = await readFile(file, 'utf8').catch(() => '');
  const renewed = await stat(file).catch(() => undefined);
  return (
    content.startsWith(FIRST_LINE) &&
    renewed !== undefined &&
    Date.now() - renewed.mtimeMs > ABANDONED_MS
  );
}
