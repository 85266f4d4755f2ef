import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { startServiceProcess } from '../fuzz/service-process.ts';

/** The attacked service. Disposing of it kills it. */
interface Service extends AsyncDisposable {
  readonly url: string;
  /** Milliseconds within a period for which the service was ready to run but other processes had the processors. */
  readonly delayWithin: (from: number, to: number) => number;
  /** Sends SIGTERM, and resolves when it has ended or been killed. */
  readonly stop: () => Promise<End>;
}

/** The service's peak heap size, and how it ended. */
export interface End {
  /** The largest observed heap size in bytes; NaN if the metrics did not report it. */
  readonly heapPeak: number;
  /** Seconds from SIGTERM to the exit; 0 if it had already exited. */
  readonly seconds: number;
  /** The exit code, or the signal that ended it. */
  readonly exit: string;
}

/** Maximum MB of V8's old space: a process that needs more than promised aborts. */
const HEAP_LIMIT = 300;
/** Milliseconds between two measurements of the heap, and the timeout of a measurement. */
const HEAP_INTERVAL = 200;
const HEAP_TIMEOUT = 20_000;
/** Milliseconds until a process that ignores SIGTERM is killed. */
const KILL_TIMEOUT = 40_000;
/** Matches the heap size of each worker. */
const HEAP_USED = /^v8js_memory_heap_used_bytes(?:\{.*\})? (\S+)$/gm;
/** Milliseconds between two measurements of the run delay. */
const DELAY_INTERVAL = 10;

/** @param isLogRead whether the service's log is still read after it listens */
export async function startService(env: NodeJS.ProcessEnv, isLogRead: boolean): Promise<Service> {
  const service = startServiceProcess(
    { METRICS_PORT: '0', ...env },
    `--max-old-space-size=${HEAP_LIMIT}`,
  );
  const metricsUrl = await service.told('stdout', /"url":"([^"]+)","msg":"serving metrics"/);
  const listening = /"url":"([^"]+)",(?:"workers":\d+,)?"msg":"listening"/;
  const url = await service.told('stdout', listening);
  if (!isLogRead) {
    service.child.stdout.pause();
  }
  const delays = watchRunDelay(service.pid);
  let heapPeak = 0;
  let isEnding = false;
  const watchHeap = async (): Promise<void> => {
    for (;;) {
      const signal = AbortSignal.timeout(HEAP_TIMEOUT);
      const text = await (await fetch(metricsUrl, { signal })).text();
      const used = Array.from(text.matchAll(HEAP_USED), ([, bytes]) => Number(bytes));
      heapPeak = used.length === 0 ? Number.NaN : Math.max(heapPeak, ...used);
      await setTimeout(HEAP_INTERVAL);
    }
  };
  watchHeap().catch(() => {
    if (!isEnding) heapPeak = Number.NaN;
  });
  return {
    url,
    delayWithin: delays.within,
    stop: async () => {
      const began = performance.now();
      const isOver = service.child.exitCode !== null || service.child.signalCode !== null;
      isEnding = true;
      const exit = await service.stop(KILL_TIMEOUT);
      return { heapPeak, seconds: isOver ? 0 : (performance.now() - began) / 1000, exit };
    },
    [Symbol.asyncDispose]: async () => {
      delays.end();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** Reads the run delay of a main thread, the second number of Linux's schedstat. On other systems, it is 0. */
function watchRunDelay(pid: number) {
  const looks: { readonly at: number; readonly delay: number }[] = [];
  const timer = setInterval(() => {
    try {
      const [, nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
      looks.push({ at: Number(process.hrtime.bigint()) / 1e6, delay: Number(nanoseconds) / 1e6 });
    } catch {
      // The process has ended, or the system does not have this file.
    }
  }, DELAY_INTERVAL);
  const delayUntil = (time: number) => looks.findLast(({ at }) => at <= time)?.delay ?? 0;
  return {
    within: (from: number, to: number) => delayUntil(to) - delayUntil(from),
    end: () => {
      clearInterval(timer);
    },
  };
}

/** A program in this folder that runs as a process. Disposing of it kills the process. */
interface Program extends AsyncDisposable {
  /** Resolves when the program has written a line. */
  readonly begun: Promise<unknown>;
  /** Closes the program's stdin, and resolves to all of its output lines. @throws Error if it ended earlier or failed */
  readonly end: () => Promise<readonly string[]>;
}

export function startProgram(
  file: 'attacker.ts' | 'honest-client.ts',
  ...args: readonly string[]
): Program {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => undefined);
  const closed = once(child, 'close');
  const lines: string[] = [];
  const reader = createInterface(child.stdout).on('line', (line) => lines.push(line));
  return {
    begun: once(reader, 'line'),
    end: async () => {
      const isOver = child.exitCode !== null || child.signalCode !== null;
      child.stdin.end();
      await closed;
      if (isOver || child.exitCode !== 0) {
        throw new Error(`${file} ${args.join(' ')} ended by itself, or failed`);
      }
      return lines;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
