/**
 * To be imported before an entry (`node --import`): at SIGUSR2 it collects garbage for a second and does nothing else, and tells
 * on stderr what its heap then holds.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
let collections = 0;

process.on('SIGUSR2', () => {
  const started = performance.now();
  // Each time takes what the one before has finalised.
  runInNewContext('do gc(); while (isEarly())', {
    isEarly: () => performance.now() - started < 1000,
  });
  collections += 1;
  process.stderr.write(`collected ${collections}: ${process.memoryUsage().heapUsed} bytes left\n`);
});
