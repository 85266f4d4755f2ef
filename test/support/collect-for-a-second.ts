/** To be imported before an entry (`node --import`): at SIGUSR2 it collects garbage for a second and does nothing else, and says so. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
let collections = 0;

process.on('SIGUSR2', () => {
  const started = performance.now();
  do {
    runInNewContext('gc()');
  } while (performance.now() - started < 1000);
  collections += 1;
  process.stderr.write(`collected ${collections}\n`);
});
