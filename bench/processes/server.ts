import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { inherited } from './command.ts';
import { ROOT } from '../root.ts';

export interface ServerOptions {
  readonly name: string;
  /** Relative to the root. */
  readonly file: string;
  /** The repository's, if it isn't a copy's. */
  readonly root?: string;
  readonly env: NodeJS.ProcessEnv;
  /** For what it writes. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** A server that runs. Disposing of it ends it, and waits. */
export interface Server extends AsyncDisposable {
  readonly name: string;
  /** Where it listens. */
  readonly url: string;
  readonly processId: number;
  /** Empties its log, which would fill the disk. @throws Error if it has ended */
  readonly renew: () => Promise<void>;
}

/** Milliseconds to be ready in, and to end in. */
const PATIENCE = 30_000;

/** Starts a server, its output in a file as a supervisor has it, and waits until it reports where it listens. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { name, file, root = ROOT, env, folder, signal } = options;
  const output = join(folder, `${name}.log`);
  // To append: what is written after the file was emptied goes to its beginning.
  const log = await open(output, 'a');
  const child = spawn(process.execPath, [file], {
    cwd: root,
    env: { ...inherited(), ...env, PORT: '0' },
    stdio: ['ignore', log.fd, log.fd],
  });
  await log.close();
  const ended = once(child, 'exit');
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const failure = async (reason: string) =>
    new Error(`${name} ${reason}: ${(await readFile(output, 'utf8')).slice(-2000)}`);
  const end = async () => {
    if (hasEnded()) return;
    child.kill('SIGTERM');
    const killed = globalThis.setTimeout(() => child.kill('SIGKILL'), PATIENCE);
    await ended;
    clearTimeout(killed);
  };

  const deadline = performance.now() + PATIENCE;
  try {
    for (;;) {
      signal.throwIfAborted();
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(await readFile(output, 'utf8')) ?? [];
      if (url !== undefined && child.pid !== undefined) {
        return {
          name,
          url,
          processId: child.pid,
          renew: async () => {
            if (hasEnded()) throw await failure('has ended');
            await truncate(output);
          },
          [Symbol.asyncDispose]: end,
        };
      }
      if (hasEnded()) throw await failure('ended at its start');
      if (performance.now() > deadline) throw await failure('does not tell where it listens');
      await setTimeout(20);
    }
  } catch (error) {
    await end();
    throw error;
  }
}
