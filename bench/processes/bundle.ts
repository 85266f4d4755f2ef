import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inherited } from './command.ts';

const SCRIPT = 'scripts/bundle.ts';

/**
 * Bundles the gateway in a folder, as its installation does, so that the measured code is the shipped code. Older versions have
 * no bundle.
 */
export async function bundle(root: string, signal: AbortSignal): Promise<void> {
  if (!existsSync(join(root, SCRIPT))) return;
  await promisify(execFile)(process.execPath, [SCRIPT], { cwd: root, env: inherited(), signal });
}
