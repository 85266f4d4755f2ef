import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, realpathSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let isGuarded = false;

/**
 * Gives this run a temporary folder of its own, and a guard that removes it, and all processes that know it, when the run
 * has ended. On Ctrl-C or SIGTERM Vitest ends at once, without a teardown, so the guard is in a session of its own, which
 * no signal to the run's process group reaches. It learns of the end from its stdin, however the run ended.
 */
export function setup(): void {
  // Each project of a run sets up.
  if (isGuarded) return;
  isGuarded = true;
  // Short, because the paths of sockets may have only some 100 bytes.
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'animals-'));
  const guard = spawn(process.execPath, [join(import.meta.dirname, 'end-run.ts'), folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  // Neither the guard nor the pipe to it keeps this process running.
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  // As root, PostgreSQL runs as another user, which has to be able to enter it.
  chmodSync(folder, 0o755);
  // oxlint-disable-next-line node/no-process-env -- the workers, and all that they start, inherit it
  process.env['TMPDIR'] = folder;
}
