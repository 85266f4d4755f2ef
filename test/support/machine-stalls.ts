import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export type MachineStalls = Awaited<ReturnType<typeof measureStalls>>;

/** Milliseconds of the system's monotonic clock. */
const now = (): number => Number(process.hrtime.bigint()) / 1e6;

/** The line that the sibling writes when it has told all stalls up to then. */
const UP_TO_DATE = 'up to date';

/**
 * Measures for how long the machine kept a process waiting that does next to nothing. An assertion about elapsed time allows for
 * it, so that a slow machine isn't taken for a slow service. All times are milliseconds of this process's `performance.now()`.
 *
 * Starts this file as a sibling process that ticks, and resolves once it does. Disposing ends it.
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
  // Both clocks are the system's monotonic one, counted from different starts.
  const offset = now() - performance.now();
  const stalls: { readonly start: number; readonly end: number }[] = [];
  const waiting: (() => void)[] = [];
  // Later calls reject.
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
  /** The sibling may stand still right now: it answers when that is over. */
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
    /** Of the sibling process. */
    pid,
    /** How long the longest stall since then was; by default until now. */
    longestSince: async (since: number, until = Infinity) =>
      Math.max(0, ...(await lengthsWithin(since, until))),
    /** How long all stalls of a period were together; by default until now. */
    totalWithin: async (from: number, to = performance.now()) =>
      (await lengthsWithin(from, to)).reduce((sum, length) => sum + length, 0),
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await exit;
    },
  };
}

const INTERVAL_MS = 20;

/** How late a tick is on a quiet machine, at most. */
const TOLERANCE_MS = 5;

/**
 * Does a little work in every tick, and writes a line with the start and the end of each stall, in milliseconds of the system's
 * monotonic clock. Answers a line on stdin when it has told all up to then, and ends when stdin does.
 */
function tickUntilStdinEnds(): void {
  // Half a millisecond of work: a process that only wakes up goes before those that work, and sees nothing of them.
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
