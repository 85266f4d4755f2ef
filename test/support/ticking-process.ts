/**
 * A process of its own (machine-stalls.ts): it does a little work in every tick, and writes a line with the start and
 * the end of each stall, in milliseconds of the system's monotonic clock. It answers a line on stdin when it has told
 * all up to then, and ends when stdin does.
 */
import { createHash } from 'node:crypto';
import { UP_TO_DATE } from './machine-stalls.ts';

const INTERVAL_MS = 20;

/** How late a tick is on a quiet machine, at most. */
const TOLERANCE_MS = 5;

/** Half a millisecond of work: a process that only wakes up goes before those that work, and sees nothing of them. */
const WORK = Buffer.alloc(1_000_000);

const now = (): number => Number(process.hrtime.bigint()) / 1e6;

let fastest = Infinity;
let expected = now();
const tick = (): void => {
  const began = now();
  createHash('sha256').update(WORK).digest();
  const ended = now();
  fastest = Math.min(fastest, ended - began);
  if (ended - fastest > expected + TOLERANCE_MS) {
    process.stdout.write(`${expected} ${ended - fastest}\n`);
  }
  expected = ended + INTERVAL_MS;
};

setInterval(tick, INTERVAL_MS).unref();
process.stdin.on('data', () => {
  tick();
  process.stdout.write(`${UP_TO_DATE}\n`);
});
