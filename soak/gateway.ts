import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { inherited } from '../bench/processes/command.ts';
import { ROOT } from '../bench/processes/folder.ts';
import { isJsonObject } from '../src/json.ts';

/** What the service tells of itself, every second. */
export interface Probe {
  /** Bytes. */
  readonly rss: number;
  /** The longest in that second: milliseconds. */
  readonly eventLoopDelay: number;
}

/** The service as a process, again and again at the same address. Disposing of it ends it, and waits. */
export interface Gateway extends AsyncDisposable {
  readonly url: string;
  /** Sends a signal, waits until the process has ended, and for those that restart it, until the new one listens. */
  readonly restart: (signal: 'SIGKILL' | 'SIGTERM') => Promise<void>;
}

/** What is told of the processes while they run. */
export interface Listener {
  readonly probed: (probe: Probe) => void;
  /** Something that should not have happened, in words. */
  readonly failed: (what: string) => void;
}

/** Lines of its output that are told if it ends by itself. */
const REMEMBERED_LINES = 20;

/** Milliseconds to end in. */
const PATIENCE = 30_000;

/** Milliseconds before one that did not start is started again. */
const PAUSE = 1000;

export async function startGateway(env: NodeJS.ProcessEnv, listener: Listener): Promise<Gateway> {
  let running = await start({ ...env, PORT: '0' }, listener);
  const { url } = running;
  const again = { ...env, PORT: new URL(url).port };
  return {
    url,
    restart: async (signal) => {
      await running.end(signal);
      running = await startUntilItDoes(again, listener);
    },
    [Symbol.asyncDispose]: () => running.end('SIGTERM'),
  };
}

/** As a supervisor does. */
async function startUntilItDoes(env: NodeJS.ProcessEnv, listener: Listener): Promise<Running> {
  for (;;) {
    try {
      return await start(env, listener);
    } catch (error) {
      listener.failed(String(error));
      await setTimeout(PAUSE);
    }
  }
}

interface Running {
  readonly url: string;
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
}

async function start(env: NodeJS.ProcessEnv, { probed, failed }: Listener): Promise<Running> {
  const child = spawn(process.execPath, ['--import', './soak/probe.ts', 'src/main.ts'], {
    cwd: ROOT,
    env: { ...inherited(), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const lines: string[] = [];
  const listening = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr].filter(isReadable)) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      lines.splice(0, lines.length - REMEMBERED_LINES);
      const [, url] = /"url":"([^"]+)","msg":"listening"/.exec(line) ?? [];
      if (url !== undefined) {
        listening.resolve(url);
      }
    });
  }
  hear(child, probed);
  const endedAtStart = () => {
    listening.reject(new Error(`the gateway ended at its start: ${lines.join(' ')}`));
  };
  child.once('exit', endedAtStart);
  const url = await listening.promise;
  const endedByItself = () => {
    failed(`the gateway ended by itself: ${lines.join(' ')}`);
  };
  child.once('exit', endedByItself);
  return {
    url,
    end: async (signal) => {
      child.off('exit', endedByItself);
      child.kill(signal);
      const killed = setKillTimer(child);
      await exited;
      clearTimeout(killed);
    },
  };
}

function setKillTimer(child: ChildProcess): NodeJS.Timeout {
  return globalThis.setTimeout(() => child.kill('SIGKILL'), PATIENCE);
}

function hear({ stdio }: ChildProcess, heard: (probe: Probe) => void): void {
  const pipe = stdio[3];
  if (!isReadable(pipe)) {
    throw new Error('there is no pipe to hear the gateway by');
  }
  createInterface({ input: pipe }).on('line', (line) => {
    const probed: unknown = JSON.parse(line);
    if (isJsonObject(probed)) {
      heard({
        rss: Number(probed['rss']),
        eventLoopDelay: Number(probed['eventLoopDelay']),
      });
    }
  });
}

function isReadable(stream: unknown): stream is Readable {
  return typeof stream === 'object' && stream !== null && 'read' in stream;
}
