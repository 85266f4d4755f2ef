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
  /** The folder of a copy; by default the repository's root. */
  readonly root?: string;
  readonly env: NodeJS.ProcessEnv;
  /** The folder for its output. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** A running server. Disposing of it stops the server, and waits for that. */
export interface Server extends AsyncDisposable {
  readonly name: string;
  /** Where it listens. */
  readonly url: string;
  readonly processId: number;
  /** Empties its log, which would fill the disk. @throws Error if it has ended */
  readonly renew: () => Promise<void>;
}

/** Milliseconds for a server to become ready, and to exit. */
const PATIENCE = 30_000;

/** Starts a server that writes its output to a file, as under a supervisor, and waits until it reports its address. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { name, file, root = ROOT, env, folder, signal } = options;
  const output = join(folder, `${name}.log`);
  // In append mode, so that output begins at the start of the file again after it was truncated.
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
      if (hasEnded()) throw await failure('exited during startup');
      if (performance.now() > deadline) throw await failure('did not report its address');
      await setTimeout(20);
    }
  } catch (error) {
    await end();
    throw error;
  }
}
