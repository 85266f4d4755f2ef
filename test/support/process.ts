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

/** Milliseconds for one to heed SIGTERM when it is disposed of; then it is killed, and that is an error. */
const STOP_TIMEOUT = 20_000;

/** How much of what it has written last is told with an error: characters. */
const TOLD_LENGTH = 2000;

export interface Run {
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** The root folder, of this repository or of a copy. */
  readonly root?: string;
}

/** Runs an entry point as a user does. */
export function runEntry(
  entry: 'src/main.ts' | `src/main.ts ${string}` | 'packages/local/src/create-migration/main.ts',
  { args = [], ...run }: Run = {},
): ChildEntry {
  // As in package.json of the animals: it keeps the program compiled from one start to the next.
  const hasPreflight = entry.startsWith('src/') && existsSync(join(run.root ?? ROOT, PREFLIGHT));
  const preload = hasPreflight ? ['-r', PREFLIGHT] : [];
  return runProgram(process.execPath, [...preload, ...entry.split(' '), ...args], run);
}

/** Runs the command line of a script of package.json, as npm does. */
export function runScript(script: string, { args = [], ...run }: Run = {}): ChildEntry {
  return runProgram('sh', ['-c', `${script} "$@"`, 'sh', ...args], run);
}

/** Runs an entry point on a terminal of its own, which is all of its output: it comes as stdout. */
export function runOnTerminal(entry: string, { args = [], ...run }: Run = {}): ChildEntry {
  const command = `exec '${process.execPath}' ${[entry, ...args].join(' ')}`;
  // Of util-linux, or of a BSD.
  const ofScript =
    process.platform === 'linux'
      ? ['-qec', command, '/dev/null']
      : ['-q', '/dev/null', 'sh', '-c', command];
  return runProgram('script', ofScript, run);
}

/**
 * Runs a program in the root folder, with an environment of `env` alone. Disposing of it ends it, and waits; one that still ran,
 * and does not end in time or without a failure, is an error.
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
  // What is typed may come when it has ended: it tells that itself.
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
    /** What it has written so far. */
    stdout: (): string => output.stdout,
    stderr: (): string => output.stderr,
    /** The first whole line that fits, whether it is written already or still to come; rejects if it ends without. */
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
    /** When it has ended and all of its output has been read. */
    exit,
    /** When it has ended, though nobody may have read its output. */
    ended: new Promise((resolve) => spawned.once('exit', resolve)),
    kill: (signal: NodeJS.Signals): void => {
      spawned.kill(signal);
    },
    /** Reads none of its stdout any more, or goes on reading. */
    hang: (isHung: boolean): void => {
      spawned.stdout[isHung ? 'pause' : 'resume']();
    },
    /** Writes to its stdin; on a terminal '\u0003' is Ctrl-C. */
    type: (text: string): void => {
      spawned.stdin.write(text);
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      // One that the test has sent a signal, or that ended by itself, is the test's to judge.
      const isOurs = !spawned.killed && spawned.exitCode === null && spawned.signalCode === null;
      let isLate = false;
      spawned.kill('SIGTERM');
      const killing = setTimeout(() => {
        isLate = true;
        spawned.kill('SIGKILL');
      }, STOP_TIMEOUT);
      const { code, signal } = await exit;
      clearTimeout(killing);
      // To those that know no end of their own, SIGTERM is one.
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
  // For a test that ends before it can dispose of what it has run.
  onFileFinished(() => child[Symbol.asyncDispose]());
  return child;
}
