import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, open } from 'node:fs/promises';
import { childrenOf } from '../../support/process-list.ts';
import { inherited } from '../../../bench/processes/command.ts';
import type { Machine } from './network.ts';

/** A program that runs on a machine until the program or the machine is killed. */
export interface Program {
  /** Kills the program. Resolves when it has ended. */
  readonly kill: () => Promise<void>;
  readonly freeze: () => Promise<void>;
  readonly thaw: () => Promise<void>;
}

interface Start {
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The file to which the output is appended. */
  readonly log: string;
}

/** Returns the command line that runs a command as the user postgres. */
export function asPostgres(command: readonly string[]): readonly string[] {
  return ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', ...command];
}

/** Starts a program as the user postgres, like all of PostgreSQL's programs. */
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
      throw new Error(`${command.join(' ')} has ended on its own: see ${log}`);
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
 * Checks that a program is installed.
 *
 * @param variable the environment variable that can contain a different path
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
