import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A program of this folder that runs as a process of its own. Disposing of it kills it. */
export interface Program extends AsyncDisposable {
  /** Resolves when it has written a line. */
  readonly begun: Promise<unknown>;
  /**
   * Asks it to end by closing its stdin; resolves to all lines that it has written.
   *
   * @throws Error if it has ended before, or failed
   */
  readonly end: () => Promise<readonly string[]>;
}

export function startProgram(
  file: 'attacker.ts' | 'honest-client.ts',
  args: readonly string[],
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
        throw new Error(`${file} ${args.join(' ')} has ended by itself, or failed`);
      }
      return lines;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
