import { isJsonObject, StartupFailure } from '@store-gateway/ops';
import type { Readable } from 'node:stream';
import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';

/** A message of the supervisor to a worker. */
export type ToWorker =
  /** The first one, with what the environment doesn't say. */
  | 'settings'
  | 'report?'
  | 'alive?'
  /** All workers serve. */
  | 'complete'
  /** The others go on serving; the whole service ends. */
  | 'leave'
  | 'shutdown';

/** A message of a worker to its supervisor. */
export type ToSupervisor =
  /** With its URL. */
  | 'ready'
  /** With the reason. */
  | 'failed'
  /** It was asked to end, and does once it has a successor. */
  | 'leave?'
  /** It accepts no more connections, and ends. */
  | 'leaving'
  | 'alive'
  /** With its text. */
  | 'report';

export interface Message<Type> {
  readonly type: Type;
  readonly content?: unknown;
}

/** Handles messages by their type, and none of somebody else's, such as those of `node --watch`. */
export function messageHandler<Type extends string>(
  handlers: Readonly<Record<Type, (content: unknown) => void>>,
): (message: unknown) => void {
  const byType = new Map<unknown, (content: unknown) => void>(Object.entries(handlers));
  return (message) => {
    const { type, content } = isJsonObject(message) ? message : {};
    byType.get(type)?.(content);
  };
}

/** Bytes that may wait for a reader that doesn't read. */
const MAX_WAITING = 1_048_576;

/**
 * Passes on what a process writes, whole lines at a time: the lines of several that share a pipe would interleave where a
 * write is longer than PIPE_BUF. Half a line that a killed process leaves is dropped.
 */
function passOnLines(stream: Readable, write: (lines: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1;
    if (end === 0) {
      rest += text;
    } else {
      write(rest + text.slice(0, end));
      rest = text.slice(end);
    }
  });
}

/**
 * Passes on what a worker writes to stderr: warnings of Node's, and why it crashed. A worker that inherited stderr would have
 * it block (libuv, when a child starts, and Node, when it ends), and stdout with it where both are one pipe: a reader that
 * hangs would then stop this process. What such a reader doesn't take is dropped.
 */
function passOnErrors(stream: Readable): void {
  process.stderr.off('error', ignore).on('error', ignore);
  passOnLines(stream, (lines) => {
    if (process.stderr.writableLength < MAX_WAITING) process.stderr.write(lines);
  });
}

/** The reader may have gone: nobody is left to report that to. */
function ignore(): void {
  // Nothing is to be done.
}

/** For a worker to be ready: longer than it waits for anything itself. */
const START_TIMEOUT_MS = 60_000;

/** Maximum time for a worker to stop: longer than its own limits. One that leaves waits for its clients. */
const END_TIMEOUT_MS = { leave: 150_000, shutdown: 9000 };

/** Maximum wait for a worker's report; after that, its last one is used. */
const REPORT_TIMEOUT_MS = 1000;

/** A worker as its supervisor knows it. */
export type WorkerProcess = ReturnType<typeof startWorkerProcess>;

/** @param writeLines takes what it writes to its stdout */
export function startWorkerProcess(settings: unknown, writeLines: (lines: string) => void) {
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

  const send = (type: ToWorker, content?: unknown): void => {
    // One that has just ended hears nothing.
    if (child.connected) child.send({ type, content } satisfies Message<ToWorker>, () => undefined);
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
  // Callers that wait for the start handle the rejection.
  ready.promise.catch(() => undefined);
  if (child.stdout !== null) passOnLines(child.stdout, writeLines);
  if (child.stderr !== null) passOnErrors(child.stderr);
  // Such as one that can't be forked, or a message to one that has been killed.
  worker.on('error', ({ message }: Error) => {
    if (child.pid === undefined) onEnd(`cannot be started: ${message}`);
  });
  // After its last line, rather than on 'exit'.
  child.once('close', (code: number | null, signal: NodeJS.Signals | null) => {
    onEnd(signal === null ? `ended with code ${code}` : `was ended by ${signal}`);
  });
  worker.once('disconnect', disconnected.resolve);
  const handle = messageHandler<ToSupervisor>({
    ready: (url) => {
      clearTimeout(starting);
      ready.resolve(String(url));
    },
    failed: (reason) => {
      failure = String(reason);
    },
    'leave?': () => {
      wantsToLeave.resolve();
    },
    leaving: () => {
      left.resolve(undefined);
    },
    alive: () => undefined,
    report: (report) => {
      lastReport = String(report);
      reported.resolve();
      reported = Promise.withResolvers();
    },
  });
  worker.on('message', (message: unknown) => {
    heardAt = performance.now();
    handle(message);
  });
  send('settings', settings);

  return {
    pid: child.pid,
    /** Where it serves; rejects with a StartupFailure if it ends before. */
    ready: ready.promise,
    /** When it wants a successor. */
    wantsToLeave: wantsToLeave.promise,
    /** When it accepts no more connections; resolves to why it ended, unless it still has to. */
    left: left.promise,
    /** When it has disconnected from this process, which holds no socket for it any more. */
    disconnected: disconnected.promise,
    ended: ended.promise,
    /** Its last report. */
    lastReport: () => lastReport,
    /** Asks for a new report and waits for it, at most a second. */
    updateReport: async () => {
      send('report?');
      await Promise.race([reported.promise, pause(REPORT_TIMEOUT_MS, undefined, { ref: false })]);
    },
    /** Asks it for a sign of life. */
    ask: () => {
      send('alive?');
    },
    /** Milliseconds since its last sign of life, or since it was forgiven its silence. */
    silentMs: () => performance.now() - heardAt,
    forgive: () => {
      heardAt = performance.now();
    },
    /** Tells it that all workers serve. */
    complete: () => {
      send('complete');
    },
    /** Tells one that has disconnected that nobody but workers holds the port. */
    portIsClosed: () => {
      child.stdin?.destroy();
    },
    /** Has it end gracefully, and waits; kills it if it doesn't. */
    end: async (how: 'leave' | 'shutdown') => {
      send(how);
      const timer = setTimeout(kill, END_TIMEOUT_MS[how]);
      await ended.promise;
      clearTimeout(timer);
    },
    kill,
  };
}
