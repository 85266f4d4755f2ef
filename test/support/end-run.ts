import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { processesOf } from './process-list.ts';

/*
 * The guard of a run of the tests: when its stdin ends, ends the run's processes, and removes its temporary
 * folder.
 */

const [folder = ''] = process.argv.slice(2);
/** Where PostgreSQL's socket is if its own folder has too long a path: see packages/local/src/embedded/server.ts. */
const SOCKET_FOLDER = /\/tmp\/[\w-]+-[0-9a-f]{32}(?=")/g;

process.stdin.resume();
await once(process.stdin, 'end');
const socketFolders = new Set<string>();
for (;;) {
  const remaining = (await processesOf(folder)).filter(({ id }) => id !== process.pid);
  if (remaining.length === 0) break;
  for (const { id, commandLine } of remaining) {
    for (const [found] of commandLine.matchAll(SOCKET_FOLDER)) socketFolders.add(found);
    // PostgreSQL then ends its own processes and removes its shared memory.
    end(id, /postgres/.test(commandLine) ? 'SIGQUIT' : 'SIGKILL');
  }
  await setTimeout(20);
}
await rm(folder, { recursive: true, force: true, maxRetries: 5 });
for (const path of socketFolders) await rm(path, { recursive: true, force: true });

function end(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
    // A test may have halted it.
    process.kill(id, 'SIGCONT');
  } catch {
    // It has ended meanwhile.
  }
}
