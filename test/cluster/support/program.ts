import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, open } from 'node:fs/promises';
import { childrenOf } from '../../support/process-list.ts';
import { inherited } from '../../../bench/processes/command.ts';
import type { Machine } from './network.ts';

/** A program that runs on a machine until it is killed, or the machine is. */
export interface Program {
  /** Resolves when it has ended. */
  readonly kill: () => Promise<void>;
  readonly freeze: () => Promise<void>;
  readonly thaw: () => Promise<void>;
}

interface Start {
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The file that its output is appended to. */
  readonly log: string;
}

/** The command line that runs another as the user postgres. */
export function asPostgres(command: readonly string[]): readonly string[] {
  return ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', ...command];
}

/** Starts a program as the user postgres, as which PostgreSQL's programs run. */
export async function startProgram(
  machine: Machine,
  { command, env, log }: Start,
): Promise<Program> {
  await using output = await open(log, 'a');
  const [program, ...args] = machine.enter(asPostgres(command));
  const child = spawn(program, args, {
    cwd: '/',
    env: { ...inherited(), ...env },
    stdio: ['ignore', output.fd, output.fd],
  });
  const exit = once(child, 'exit');
  await once(child, 'spawn');
  const signal = async (name: NodeJS.Signals): Promise<void> => {
    const [pid] = child.pid === undefined ? [] : await childrenOf(child.pid);
    if (pid === undefined) {
      throw new Error(`${command.join(' ')} has ended by itself: see ${log}`);
    }
    process.kill(pid, name);
  };
  return {
    kill: async () => {
      await signal('SIGKILL');
      await exit;
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
  };
}

/**
 * @param variable names the program in unusual places
 * @throws Error that says what to install
 */
export async function requireProgram(
  path: string,
  debianPackage: string,
  variable?: string,
): Promise<void> {
  try {
    await access(path, constants.X_OK);
  } catch {
    const otherwise = variable === undefined ? '' : `, or set ${variable} to its path`;
    throw new Error(
      `No ${path}: install it (Debian: apt-get install ${debianPackage})${otherwise}`,
    );
  }
}
