/** To be imported before an entry (`node --import`): at SIGUSR2 it tells on stderr what its heap holds. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
let reports = 0;

process.on('SIGUSR2', () => {
  // The second time takes what the first has finalised.
  runInNewContext('gc(); gc()');
  reports += 1;
  process.stderr.write(`heap ${reports}: ${process.memoryUsage().heapUsed} bytes\n`);
});
