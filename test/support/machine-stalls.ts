import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export type MachineStalls = Awaited<ReturnType<typeof measureStalls>>;

/** Returns the system's monotonic clock in milliseconds. */
const now = (): number => Number(process.hrtime.bigint()) / 1e6;

/** The line that the sibling writes when it has reported all stalls so far. */
const UP_TO_DATE = 'up to date';

/**
 * Measures for how long the machine kept a nearly idle process waiting. Assertions about elapsed time allow for it, so
 * that a slow machine is not mistaken for a slow service. All times are milliseconds of this process's
 * `performance.now()`. Starts this file as a sibling process that ticks, and resolves when it does; disposing ends it.
 */
export async function measureStalls() {
  const child = spawn(process.execPath, [import.meta.filename], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const { pid } = child;
  if (pid === undefined) {
    throw new Error('the process that measures stalls does not start');
  }
  const exit = once(child, 'close');
  // Both clocks are the system's monotonic clock, with different origins.
  const offset = now() - performance.now();
  const stalls: { readonly start: number; readonly end: number }[] = [];
  const waiting: (() => void)[] = [];
  // After the sibling has exited, calls reject.
  const gone = exit.then((): never => {
    throw new Error('the process that measures stalls has ended');
  });
  gone.catch(() => undefined);
  child.stdin.on('error', () => undefined);
  createInterface(child.stdout).on('line', (line) => {
    if (line === UP_TO_DATE) {
      waiting.shift()?.();
    } else {
      const [start = 0, end = 0] = line.split(' ').map(Number);
      stalls.push({ start: start - offset, end: end - offset });
    }
  });
  /** The sibling may be stalled at this moment; it answers when the stall is over. */
  const lengthsWithin = async (from: number, to: number): Promise<number[]> => {
    const told = new Promise<void>((resolve) => {
      waiting.push(resolve);
      child.stdin.write('\n');
    });
    await Promise.race([told, gone]);
    return stalls.map(({ start, end }) => Math.max(0, Math.min(end, to) - Math.max(start, from)));
  };
  await lengthsWithin(0, 0);
  return {
    /** The sibling's process id. */
    pid,
    /** Returns the length of the longest stall since a time; by default until now. */
    longestSince: async (since: number, until = Infinity) =>
      Math.max(0, ...(await lengthsWithin(since, until))),
    /** Returns the total length of all stalls in a period; by default until now. */
    totalWithin: async (from: number, to = performance.now()) =>
      (await lengthsWithin(from, to)).reduce((sum, length) => sum + length, 0),
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await exit;
    },
  };
}

const INTERVAL_MS = 20;

/** The maximum delay of a tick on a quiet machine. */
const TOLERANCE_MS = 5;

/**
 * Does a little work in every tick, and writes each stall's start and end as a line, in milliseconds of the system's
 * monotonic clock. Answers each line on stdin after reporting all stalls so far, and exits when stdin ends.
 */
function tickUntilStdinEnds(): void {
  // Half a millisecond of work: the scheduler prefers a process that only wakes up, which would not notice stalls.
  const work = Buffer.alloc(1_000_000);
  let fastest = Infinity;
  let expected = now();
  const tick = (): void => {
    const began = now();
    createHash('sha256').update(work).digest();
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
}

if (import.meta.main) tickUntilStdinEnds();
