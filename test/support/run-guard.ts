import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { processesOf } from './process-list.ts';

let isGuarded = false;

/**
 * Gives this run its own temporary folder, and starts a guard that removes the folder and all processes that use it
 * when the run has ended. On Ctrl-C or SIGTERM, Vitest exits without a teardown, so the guard has its own session,
 * which signals to the run's process group do not reach. It detects the run's end from its stdin.
 */
export function setup(): void {
  // Each project in a run calls this.
  if (isGuarded) return;
  isGuarded = true;
  // Short, because socket paths are limited to about 100 bytes.
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'animals-'));
  const guard = spawn(process.execPath, [import.meta.filename, folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  // Neither the guard nor the pipe to it keeps this process running.
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  // When the tests run as root, PostgreSQL runs as a different user, which must be able to enter the folder.
  chmodSync(folder, 0o755);
  // oxlint-disable-next-line node/no-process-env -- the workers, and all that they start, inherit it
  process.env['TMPDIR'] = folder;
}

/** The folder of PostgreSQL's socket if the path of its own folder is too long: see packages/local/src/embedded/server.ts. */
const SOCKET_FOLDER = /\/tmp\/[\w-]+-[0-9a-f]{32}(?=")/g;

/** Runs in the guard: when its stdin ends, it ends the run's processes and removes the temporary folder. */
async function guardRun(folder: string): Promise<void> {
  process.stdin.resume();
  await once(process.stdin, 'end');
  const socketFolders = new Set<string>();
  for (;;) {
    const remaining = (await processesOf(folder)).filter(({ id }) => id !== process.pid);
    if (remaining.length === 0) break;
    for (const { id, commandLine } of remaining) {
      for (const [found] of commandLine.matchAll(SOCKET_FOLDER)) socketFolders.add(found);
      // On SIGQUIT, PostgreSQL ends its own processes and removes its shared memory.
      end(id, /postgres/.test(commandLine) ? 'SIGQUIT' : 'SIGKILL');
    }
    await setTimeout(20);
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  for (const path of socketFolders) await rm(path, { recursive: true, force: true });
}

function end(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
    // A test may have halted it.
    process.kill(id, 'SIGCONT');
  } catch {
    // The process has ended meanwhile.
  }
}

if (import.meta.main) await guardRun(process.argv[2] ?? '');
