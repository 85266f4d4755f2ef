/**
 * To be imported before the service (`node --import`): at SIGUSR2 it tells on stderr, as JSON, for how long
 * it worked on end and stood still since the last time, and what its heap holds.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const MICROSECONDS = 1000;

// What a turn takes of the processor: on a busy machine the clock tells of others, too.
let before = process.threadCpuUsage();
let longestTurn = 0;
let turnedAt = now();
let longestHalt = { from: turnedAt, to: turnedAt };
setInterval(() => {
  const used = process.threadCpuUsage(before);
  longestTurn = Math.max(longestTurn, (used.user + used.system) / MICROSECONDS);
  before = process.threadCpuUsage();
  const to = now();
  if (to - turnedAt > longestHalt.to - longestHalt.from) {
    longestHalt = { from: turnedAt, to };
  }
  turnedAt = to;
}, 5).unref();

process.on('SIGUSR2', () => {
  const told = {
    turnMilliseconds: Math.round(longestTurn),
    longestHalt,
    heapBytes: heapUsed(),
  };
  process.stderr.write(`runtime statistics: ${JSON.stringify(told)}\n`);
  // To collect garbage takes long, and is nobody's doing but ours.
  before = process.threadCpuUsage();
  longestTurn = 0;
  turnedAt = now();
  longestHalt = { from: turnedAt, to: turnedAt };
});

/** Milliseconds of the system's monotonic clock. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function heapUsed(): number {
  // The second time takes what the first has finalised.
  runInNewContext('gc(); gc()');
  return process.memoryUsage().heapUsed;
}
