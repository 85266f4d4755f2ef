import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { inherited } from '../../bench/processes/command.ts';

/** The attacked service as a process that ends with this one. Disposing of it kills it. */
export interface ServiceProcess extends AsyncDisposable {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly pid: number;
  /** Resolves to a pattern's first group when the output matches the pattern. @throws Error if the process ends first */
  readonly told: (stream: 'stdout' | 'stderr', pattern: RegExp) => Promise<string>;
  /** Sends SIGTERM and, after some milliseconds, SIGKILL; resolves to the exit code or the signal that ended it. */
  readonly stop: (timeout: number) => Promise<string>;
}

/** Number of output characters that are kept, enough for everything that the service writes at startup. */
const KEPT_CHARACTERS = 10_000;

/** @param options the command-line options for Node.js */
export function startServiceProcess(
  env: NodeJS.ProcessEnv,
  ...options: readonly string[]
): ServiceProcess {
  const file = join(import.meta.dirname, 'end-with-parent.ts');
  const preloads = ['--import', file, '-r', './packages/gateway/preflight.cjs'];
  const child = spawn(process.execPath, [...options, ...preloads, 'src/main.ts'], {
    cwd: join(import.meta.dirname, '..', '..'),
    env: { ...inherited(), PORT: '0', ...env },
    stdio: 'pipe',
    // Ctrl-C only reaches the attacker, which then ends the service.
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) {
    throw new Error('the service cannot be started');
  }
  const exited = once(child, 'exit');
  const exit = () => child.exitCode ?? child.signalCode;
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] = (output[stream] + text).slice(-KEPT_CHARACTERS);
    });
  }
  const end = async (timeout: number): Promise<string> => {
    child.kill('SIGTERM');
    const killing = setTimeout(() => child.kill('SIGKILL'), timeout);
    if (exit() === null) await exited;
    clearTimeout(killing);
    return String(exit());
  };
  return {
    child,
    pid,
    told: async (stream, pattern) => {
      for (;;) {
        const [, found] = pattern.exec(output[stream]) ?? [];
        if (found !== undefined) return found;
        if (exit() !== null) {
          throw new Error(`the service ended: ${exit()} ${output.stdout}${output.stderr}`);
        }
        await Promise.race([once(child[stream], 'data'), exited]);
      }
    },
    stop: end,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      if (exit() === null) await exited;
    },
  };
}
