import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../root.ts';

/** Installs the peers' packages by the lock file, unless they are installed. */
export async function installPeers(signal: AbortSignal): Promise<void> {
  const installed = await timeOf('node_modules/.package-lock.json');
  if (installed > (await timeOf('package-lock.json'))) return;
  await promisify(execFile)('npm', ['ci', '--prefix', 'bench'], { cwd: ROOT, signal });
}

/** When a file was last written, in milliseconds; 0 if it doesn't exist. */
async function timeOf(file: string): Promise<number> {
  const found = await stat(join(ROOT, 'bench', file)).catch(() => undefined);
  return found?.mtimeMs ?? 0;
}
