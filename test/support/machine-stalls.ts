import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/**
 * For how long the machine kept a process waiting that does next to nothing. An assertion about elapsed time allows for
 * it, so that a slow machine isn't taken for a slow service. All times are milliseconds of this process's
 * `performance.now()`.
 */
export interface MachineStalls extends AsyncDisposable {
  /** Of the sibling process. */
  readonly pid: number;
  /** How long the longest stall since then was; by default until now. */
  readonly longestSince: (since: number, until?: number) => Promise<number>;
  /** How long all stalls of a period were together; by default until now. */
  readonly totalWithin: (from: number, to?: number) => Promise<number>;
}

/** The line that the sibling writes when it has told all stalls up to then. */
export const UP_TO_DATE = 'up to date';

const TICKING_PROCESS = fileURLToPath(new URL('ticking-process.ts', import.meta.url));

/** Starts a sibling process that ticks, and resolves once it does. Disposing ends it. */
export async function measureStalls(): Promise<MachineStalls> {
  const child = spawn(process.execPath, [TICKING_PROCESS], { stdio: ['pipe', 'pipe', 'inherit'] });
  const { pid } = child;
  if (pid === undefined) {
    throw new Error('the process that measures stalls does not start');
  }
  const exit = once(child, 'close');
  // Both clocks are the system's monotonic one, counted from different starts.
  const offset = Number(process.hrtime.bigint()) / 1e6 - performance.now();
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
    pid,
    longestSince: async (since, until = Infinity) =>
      Math.max(0, ...(await lengthsWithin(since, until))),
    totalWithin: async (from, to = performance.now()) =>
      (await lengthsWithin(from, to)).reduce((sum, length) => sum + length, 0),
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await exit;
    },
  };
}
