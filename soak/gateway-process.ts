import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { inherited } from '../bench/processes/command.ts';
import { ROOT } from '../bench/root.ts';
import { isReadable, type Probe, readProbes } from './probes.ts';

/** Events of a running process. */
export interface GatewayEvents {
  readonly probed: (probe: Probe) => void;
  /** Called with a description of a failure. */
  readonly failed: (what: string) => void;
}

/** A process of the service. */
export interface GatewayProcess {
  readonly url: string;
  /** Sends a signal if the process still runs, and resolves when it has ended; reports an unexpected end. */
  readonly end: (kind: 'SIGKILL' | 'SIGTERM') => Promise<void>;
}

/** Number of output lines to report if it exits unexpectedly. */
const REMEMBERED_LINES = 20;

/** Milliseconds within which it shuts down on a signal, as docs/operations.md promises. */
const END_TIMEOUT = 10_000;

/** Starts the service, and resolves when it listens. If the signal is aborted before, rejects when the process has exited. */
export async function startProcess(
  env: NodeJS.ProcessEnv,
  { probed, failed }: GatewayEvents,
  signal: AbortSignal,
): Promise<GatewayProcess> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, ['--import', './soak/probe.ts', 'src/main.ts'], {
    cwd: ROOT,
    env: { ...inherited(), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  readProbes(child, probed);
  const listening = Promise.withResolvers<string>();
  const lines = readOutput(child, listening.resolve);
  const endedAtStart = () => {
    listening.reject(new Error(`the gateway exited during startup: ${lines.join(' ')}`));
  };
  child.once('exit', endedAtStart);
  const giveUp = () => {
    listening.reject(signal.reason);
  };
  signal.addEventListener('abort', giveUp);
  const endedByItself = () => {
    failed(`the gateway exited unexpectedly: ${lines.join(' ')}`);
  };
  const end = async (kind: 'SIGKILL' | 'SIGTERM') => {
    child.off('exit', endedByItself);
    await endProcess(child, kind, failed);
  };
  try {
    const url = await listening.promise;
    child.once('exit', endedByItself);
    return { url, end };
  } catch (error) {
    await end('SIGTERM');
    throw error;
  } finally {
    child.off('exit', endedAtStart);
    signal.removeEventListener('abort', giveUp);
  }
}

/** Returns the last lines of its output, which are updated as it writes more. */
function readOutput(child: ChildProcess, onListening: (url: string) => void): readonly string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr].filter(isReadable)) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      lines.splice(0, lines.length - REMEMBERED_LINES);
      const [, url] = /"url":"([^"]+)","msg":"listening"/.exec(line) ?? [];
      if (url !== undefined) {
        onListening(url);
      }
    });
  }
  return lines;
}

async function endProcess(
  child: ChildProcess,
  kind: 'SIGKILL' | 'SIGTERM',
  failed: (what: string) => void,
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const began = performance.now();
  const exited = once(child, 'exit');
  child.kill(kind);
  const killed = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT);
  await exited;
  clearTimeout(killed);
  if (kind === 'SIGTERM' && child.exitCode !== 0) {
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    failed(
      `after the stop signal, the gateway exited with ${child.exitCode ?? child.signalCode} after ${seconds} s instead of 0 within ${END_TIMEOUT / 1000} s`,
    );
  }
}
