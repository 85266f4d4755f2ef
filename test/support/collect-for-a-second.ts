/**
 * Imported before an entry point (`node --import`): on SIGUSR2, it blocks the process with garbage collection for a
 * second, and then writes the size of the heap to stderr.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
let collections = 0;

process.on('SIGUSR2', () => {
  const started = performance.now();
  // Each collection frees what the one before finalized.
  runInNewContext('do gc(); while (isEarly())', {
    isEarly: () => performance.now() - started < 1000,
  });
  collections += 1;
  process.stderr.write(`collected ${collections}: ${process.memoryUsage().heapUsed} bytes left\n`);
});
