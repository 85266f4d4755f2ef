import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inherited } from '../../bench/processes/command.ts';
import { onFileFinished } from './clean-up.ts';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export type ChildEntry = ReturnType<typeof runProgram>;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PREFLIGHT = './packages/gateway/preflight.cjs';

/** The time in milliseconds to exit after SIGTERM on disposal; after that, the process is killed and an error is thrown. */
const STOP_TIMEOUT = 20_000;

/** How many of the last characters of its output are included in an error. */
const TOLD_LENGTH = 2000;

export interface Run {
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** The root folder of this repository or of a copy. */
  readonly root?: string;
}

/** Runs an entry point as a user does. */
export function runEntry(
  entry: 'src/main.ts' | `src/main.ts ${string}` | 'packages/local/src/create-migration/main.ts',
  { args = [], ...run }: Run = {},
): ChildEntry {
  // The store's package.json preloads it, too. It also enables the compile cache.
  const hasPreflight = entry.startsWith('src/') && existsSync(join(run.root ?? ROOT, PREFLIGHT));
  const preload = hasPreflight ? ['-r', PREFLIGHT] : [];
  return runProgram(process.execPath, [...preload, ...entry.split(' '), ...args], run);
}

/** Runs the command line of a script in package.json, as npm does. */
export function runScript(script: string, { args = [], ...run }: Run = {}): ChildEntry {
  return runProgram('sh', ['-c', `${script} "$@"`, 'sh', ...args], run);
}

/** Runs an entry point on a new terminal; all of its output appears on stdout. */
export function runOnTerminal(entry: string, { args = [], ...run }: Run = {}): ChildEntry {
  const command = `exec '${process.execPath}' ${[entry, ...args].join(' ')}`;
  // The arguments for `script` differ between util-linux and BSD.
  const ofScript =
    process.platform === 'linux'
      ? ['-qec', command, '/dev/null']
      : ['-q', '/dev/null', 'sh', '-c', command];
  return runProgram('script', ofScript, run);
}

/**
 * Runs a program in the root folder with only `env` as its environment. Disposal ends a running program; it throws an
 * error if the program does not exit in time or fails.
 */
export function runProgram(
  program: string,
  args: readonly string[],
  { env = {}, root = ROOT }: Run,
) {
  const spawned = spawn(program, args, {
    cwd: root,
    env: { ...inherited(), ...env },
    stdio: 'pipe',
  });
  // Input may arrive after the program has exited; the exit is reported anyway.
  spawned.stdin.on('error', () => undefined);
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    spawned[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  }
  let ended = false;
  const exit = new Promise<Exit>((resolve) => {
    spawned.once('close', (code, signal) => {
      ended = true;
      resolve({ code, signal });
    });
  });

  const child = {
    /** Returns its output so far. */
    stdout: (): string => output.stdout,
    stderr: (): string => output.stderr,
    /**
     * Resolves to the first complete matching line, already written or still to come; rejects if the program exits
     * without it.
     */
    line: async (
      stream: 'stdout' | 'stderr',
      predicate: (line: string) => boolean,
    ): Promise<string> => {
      for (;;) {
        const line = output[stream].split('\n').slice(0, -1).find(predicate);
        if (line !== undefined) {
          return line;
        }
        if (ended) {
          throw new Error(
            `${args.join(' ')} ended without that line: ${output.stdout}${output.stderr}`,
          );
        }
        await Promise.race([once(spawned[stream], 'data'), exit]);
      }
    },
    /** Resolves when it has exited and all of its output has been read. */
    exit,
    /** Resolves when it has exited, even if its output has not been read. */
    ended: new Promise((resolve) => spawned.once('exit', resolve)),
    kill: (signal: NodeJS.Signals): void => {
      spawned.kill(signal);
    },
    /** Stops reading its stdout, or resumes. */
    hang: (isHung: boolean): void => {
      spawned.stdout[isHung ? 'pause' : 'resume']();
    },
    /** Writes to its stdin; on a terminal, '\u0003' is Ctrl-C. */
    type: (text: string): void => {
      spawned.stdin.write(text);
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      // If the test sent a signal or the program exited by itself, the test checks the outcome.
      const isOurs = !spawned.killed && spawned.exitCode === null && spawned.signalCode === null;
      let isLate = false;
      spawned.kill('SIGTERM');
      const killing = setTimeout(() => {
        isLate = true;
        spawned.kill('SIGKILL');
      }, STOP_TIMEOUT);
      const { code, signal } = await exit;
      clearTimeout(killing);
      // Programs that do not handle SIGTERM are ended by it.
      if (isLate || (isOurs && code !== 0 && signal !== 'SIGTERM')) {
        const how = isLate
          ? `had not ended after ${STOP_TIMEOUT} ms`
          : `ended with ${code ?? signal}`;
        throw new Error(
          `${args.join(' ')}, sent SIGTERM, ${how}: ${(output.stdout + output.stderr).slice(-TOLD_LENGTH)}`,
        );
      }
    },
  };
  // For a test that ends before it disposes of the program.
  onFileFinished(() => child[Symbol.asyncDispose]());
  return child;
}
