/**
 * To be imported before the service (`node --import`): at SIGUSR2 it tells on stderr, as JSON, for how long
 * it worked on end since the last time, and what its heap holds.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const MICROSECONDS = 1000;

// What a turn takes of the processor: on a busy machine the clock tells of others, too.
let before = process.threadCpuUsage();
let longestTurn = 0;
setInterval(() => {
  const used = process.threadCpuUsage(before);
  longestTurn = Math.max(longestTurn, (used.user + used.system) / MICROSECONDS);
  before = process.threadCpuUsage();
}, 5).unref();

process.on('SIGUSR2', () => {
  const told = {
    turnMilliseconds: Math.round(longestTurn),
    heapBytes: heapUsed(),
  };
  process.stderr.write(`runtime statistics: ${JSON.stringify(told)}\n`);
  // To collect garbage takes long, and is nobody's doing but ours.
  before = process.threadCpuUsage();
  longestTurn = 0;
});

function heapUsed(): number {
  // The second time takes what the first has finalised.
  runInNewContext('gc(); gc()');
  return process.memoryUsage().heapUsed;
}
