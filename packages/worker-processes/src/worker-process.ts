import cluster from 'node:cluster';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { readToSupervisor, type ToWorker } from './messages.ts';
import { passOnLines } from './whole-lines.ts';

/** For a worker to be ready: longer than it waits for anything itself. */
const START_TIMEOUT_MS = 60_000;

/** For a worker to end that was told to: longer than its own limits. One that leaves waits for its clients. */
const END_TIMEOUT_MS = { leave: 150_000, shutdown: 9000 };

/** For a worker's report: one that is busy for longer is told of by its last one. */
const REPORT_TIMEOUT_MS = 1000;

/** A worker as its supervisor knows it. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  /** Where it serves; rejects with a StartupFailure if it ends before. */
  readonly ready: Promise<string>;
  /** When it wants a successor. */
  readonly wantsToLeave: Promise<void>;
  /** When it accepts no more connections; resolves to why it ended, unless it still has to. */
  readonly left: Promise<string | undefined>;
  /** When it has disconnected from this process, which holds no socket for it any more. */
  readonly disconnected: Promise<unknown>;
  readonly ended: Promise<unknown>;
  /** What it told last. */
  readonly lastReport: () => string | undefined;
  /** Asks it for a new report, and waits for that, a second at the most. */
  readonly updateReport: () => Promise<void>;
  /** Asks it for a sign of life. */
  readonly ask: () => void;
  /** Milliseconds since its last sign of life, or since it was forgiven its silence. */
  readonly silentMs: () => number;
  readonly forgive: () => void;
  /** Tells it that all workers serve. */
  readonly complete: () => void;
  /** Tells one that has disconnected that nobody but workers holds the port. */
  readonly portIsClosed: () => void;
  /** Has it end gracefully, and waits; kills it if it doesn't. */
  readonly end: (how: 'leave' | 'shutdown') => Promise<void>;
  readonly kill: () => void;
}

/** What takes what a worker writes. */
export interface WorkerOutput {
  readonly writeLines: (lines: string) => void;
  readonly passOnErrors: (stream: Readable) => void;
}

export function startWorkerProcess(
  settings: unknown,
  { writeLines, passOnErrors }: WorkerOutput,
): WorkerProcess {
  const worker = cluster.fork();
  const child = worker.process;
  const ready = Promise.withResolvers<string>();
  const wantsToLeave = Promise.withResolvers<void>();
  const left = Promise.withResolvers<string | undefined>();
  const disconnected = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let failure: string | undefined;
  let heardAt = performance.now();
  let lastReport: string | undefined;
  let reported = Promise.withResolvers<void>();

  const send = (message: ToWorker): void => {
    // One that has just ended hears nothing.
    if (child.connected) child.send(message, () => undefined);
  };
  const kill = () => {
    child.kill('SIGKILL');
  };
  const onEnd = (why: string): void => {
    clearTimeout(starting);
    ready.reject(new StartupFailure(failure ?? `a worker process ${why} before it was ready`));
    left.resolve(failure ?? why);
    reported.resolve();
    disconnected.resolve();
    ended.resolve();
  };
  const starting = setTimeout(kill, START_TIMEOUT_MS).unref();
  // Whoever waits for a start hears of it.
  ready.promise.catch(() => undefined);
  if (child.stdout !== null) passOnLines(child.stdout, writeLines);
  if (child.stderr !== null) passOnErrors(child.stderr);
  // Such as one that can't be forked, or a message to one that has been killed.
  worker.on('error', ({ message }: Error) => {
    if (child.pid === undefined) onEnd(`cannot be made: ${message}`);
  });
  // After its last line, rather than on 'exit'.
  child.once('close', (code: number | null, signal: NodeJS.Signals | null) => {
    onEnd(signal === null ? `ended with code ${code}` : `was ended by ${signal}`);
  });
  worker.once('disconnect', disconnected.resolve);
  worker.on('message', (received: unknown) => {
    heardAt = performance.now();
    const message = readToSupervisor(received);
    switch (message?.type) {
      case 'ready':
        clearTimeout(starting);
        ready.resolve(message.url);
        break;
      case 'failed':
        failure = message.reason;
        break;
      case 'leave?':
        wantsToLeave.resolve();
        break;
      case 'leaving':
        left.resolve(undefined);
        break;
      case 'alive':
        break;
      case 'report':
        lastReport = message.report;
        reported.resolve();
        reported = Promise.withResolvers();
        break;
      case undefined:
    }
  });
  send({ type: 'settings', settings });

  return {
    pid: child.pid,
    ready: ready.promise,
    wantsToLeave: wantsToLeave.promise,
    left: left.promise,
    disconnected: disconnected.promise,
    ended: ended.promise,
    lastReport: () => lastReport,
    updateReport: async () => {
      send({ type: 'report?' });
      await Promise.race([reported.promise, pause(REPORT_TIMEOUT_MS, undefined, { ref: false })]);
    },
    ask: () => {
      send({ type: 'alive?' });
    },
    silentMs: () => performance.now() - heardAt,
    forgive: () => {
      heardAt = performance.now();
    },
    complete: () => {
      send({ type: 'complete' });
    },
    portIsClosed: () => {
      child.stdin?.destroy();
    },
    end: async (how) => {
      send({ type: how });
      const timer = setTimeout(kill, END_TIMEOUT_MS[how]);
      await ended.promise;
      clearTimeout(timer);
    },
    kill,
  };
}
