/**
 * Imported before the service (`node --import`). On SIGUSR2, it reports on stderr the longest times for which the service was
 * busy and stood still since the last report, and the size of its memory, as described in fuzzed-service.ts.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const MICROSECONDS = 1000;
let reports = 0;

/** Milliseconds of the system's monotonic clock. */
const now = () => Number(process.hrtime.bigint()) / 1e6;

// Processor time, because on a busy machine a clock also counts other processes.
let before = process.threadCpuUsage();
let longestTurn = 0;
let turnedAt = now();
let halt = [turnedAt, turnedAt] as const;
setInterval(() => {
  const { user, system } = process.threadCpuUsage(before);
  longestTurn = Math.max(longestTurn, (user + system) / MICROSECONDS);
  before = process.threadCpuUsage();
  const to = now();
  if (to - turnedAt > halt[1] - halt[0]) {
    halt = [turnedAt, to];
  }
  turnedAt = to;
}, 5).unref();

process.on('SIGUSR2', () => {
  // The second collection frees what the first has finalized.
  runInNewContext('gc(); gc()');
  const { heapUsed, rss } = process.memoryUsage();
  reports += 1;
  const numbers = [Math.round(longestTurn), ...halt, heapUsed, rss];
  process.stderr.write(`runtime statistics ${reports}: ${numbers.join(' ')}\n`);
  // The garbage collection takes long, but is not part of the service.
  before = process.threadCpuUsage();
  longestTurn = 0;
  turnedAt = now();
  halt = [turnedAt, turnedAt];
});
