import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { inherited } from '../../bench/processes/command.ts';
import { watchHeap } from './heap.ts';

/** The service of a checkout, as in production. Disposing of it kills it. */
export interface Service extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Sends SIGTERM, and resolves when it has ended, or has been killed because it did not. */
  readonly stop: () => Promise<End>;
}

/** How it went, and ended. */
export interface End {
  /** The most that its heap was seen to hold: bytes. */
  readonly heapPeak: number;
  /** From SIGTERM on; 0 if it had ended by itself. */
  readonly seconds: number;
  /** `0` is as it should: its exit code, or the signal that ended it. */
  readonly exit: string;
}

/** MB of V8's old space: with what is promised, a process that needs more ends. */
const HEAP_LIMIT = 300;
/** Milliseconds until one that doesn't heed SIGTERM is killed. */
const KILL_TIMEOUT = 40_000;
/** Characters of its output that are kept, enough for all that it says at its start. */
const KEPT_CHARACTERS = 10_000;

/** So that it doesn't outlive this process. */
const END_WITH_PARENT = new URL('../fuzz/end-with-parent.ts', import.meta.url).href;

/**
 * @param isLogRead whether its log is read on once it listens
 * @throws Error if it doesn't start
 */
export async function startService(
  root: string,
  env: NodeJS.ProcessEnv,
  isLogRead: boolean,
): Promise<Service> {
  const options = [`--max-old-space-size=${HEAP_LIMIT}`, '--import', END_WITH_PARENT];
  const args = [...options, '-r', './packages/gateway/preflight.cjs', 'src/main.ts'];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...inherited(), PORT: '0', METRICS_PORT: '0', ...env },
    stdio: 'pipe',
  });
  const { pid } = child;
  if (pid === undefined) {
    throw new Error('the service can not be started');
  }
  const exited = once(child, 'exit');
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-KEPT_CHARACTERS);
    });
  }
  const told = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const [, found] = pattern.exec(output) ?? [];
      if (found !== undefined) return found;
      if (hasExited()) throw new Error(`the service does not start: ${output}`);
      await Promise.race([once(child.stdout, 'data'), exited]);
    }
  };
  const metricsUrl = await told(/"url":"([^"]+)","msg":"metrics"/);
  const url = await told(/"url":"([^"]+)",(?:"workers":\d+,)?"msg":"listening"/);
  const heap = watchHeap(metricsUrl);
  if (!isLogRead) {
    child.stdout.pause();
  }
  return {
    url,
    pid,
    stop: async () => {
      const began = performance.now();
      const isOver = hasExited();
      heap.expectEnd();
      child.kill('SIGTERM');
      const killing = setTimeout(() => child.kill('SIGKILL'), KILL_TIMEOUT);
      await exited;
      clearTimeout(killing);
      return {
        heapPeak: heap.peak(),
        seconds: isOver ? 0 : (performance.now() - began) / 1000,
        exit: String(child.exitCode ?? child.signalCode),
      };
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
