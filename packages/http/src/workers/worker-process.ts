import { isJsonObject, StartupFailure } from '@store-gateway/ops';
import type { Readable } from 'node:stream';
import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';

/** The type of a message from the supervisor to a worker. */
export type ToWorker =
  /** The first message, with settings that the environment doesn't contain. */
  | 'settings'
  | 'report?'
  | 'alive?'
  /** All workers serve. */
  | 'complete'
  /** Both end the worker: others keep serving after 'leave', and the whole service ends after 'shutdown'. */
  | 'leave'
  | 'shutdown';

/** The type of a message from a worker to its supervisor. */
export type ToSupervisor =
  /** The worker serves, at the URL in the content. */
  | 'ready'
  /** The worker can't start, for the reason in the content. */
  | 'failed'
  /** The worker was asked to end, and will when it has a successor. */
  | 'leave?'
  /** The worker accepts no more connections, and ends. */
  | 'leaving'
  | 'alive'
  /** The content is the text of the worker's report. */
  | 'report';

export interface Message<Type> {
  readonly type: Type;
  readonly content?: unknown;
}

/** Handles messages by their type, and ignores all others, such as those of `node --watch`. */
export function messageHandler<Type extends string>(
  handlers: Readonly<Record<Type, (content: unknown) => void>>,
): (message: unknown) => void {
  const byType = new Map<unknown, (content: unknown) => void>(Object.entries(handlers));
  return (message) => {
    const { type, content } = isJsonObject(message) ? message : {};
    byType.get(type)?.(content);
  };
}

/** Maximum number of bytes that wait for a reader of stderr that doesn't read. */
const MAX_WAITING = 1_048_576;

/**
 * Passes on what a process writes, in whole lines: if several processes shared a pipe, writes longer than PIPE_BUF would
 * interleave. The incomplete last line of a killed process is dropped.
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
 * Passes on what a worker writes to stderr: Node's warnings, and the reason for a crash. If a worker inherited stderr, it would
 * become blocking (by libuv when a child starts, and by Node when it ends), and so would stdout if both are one pipe: a reader
 * that hangs would then stop this process. What such a reader doesn't read is dropped.
 */
function passOnErrors(stream: Readable): void {
  process.stderr.off('error', ignore).on('error', ignore);
  passOnLines(stream, (lines) => {
    if (process.stderr.writableLength < MAX_WAITING) process.stderr.write(lines);
  });
}

/** Ignores that the reader may have gone: there is nowhere else to report that. */
function ignore(): void {
  // Nothing to do.
}

/** Maximum time for a worker to be ready: longer than its own timeouts during startup. */
const START_TIMEOUT_MS = 60_000;

/** Maximum time for a worker to stop: longer than its own limits. One that leaves waits for its clients. */
const END_TIMEOUT_MS = { leave: 150_000, shutdown: 9000 };

/** Maximum wait for a worker's report; after that, its last one is used. */
const REPORT_TIMEOUT_MS = 1000;

/** A worker process, from its supervisor's side. */
export type WorkerProcess = ReturnType<typeof startWorkerProcess>;

/**
 * Starts a worker process.
 *
 * @param writeLines called with the lines that it writes to its stdout
 */
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
    // A worker that has just ended can't receive messages.
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
  // For example, the process can't be forked, or a message was sent to a killed process.
  worker.on('error', ({ message }: Error) => {
    if (child.pid === undefined) onEnd(`cannot be started: ${message}`);
  });
  // On 'close' rather than 'exit', so that it comes after the last line.
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
    /** Resolves to the worker's URL; rejects with a StartupFailure if it ends before it serves. */
    ready: ready.promise,
    /** Resolves when the worker asks for a successor. */
    wantsToLeave: wantsToLeave.promise,
    /**
     * Resolves when the worker accepts no more connections: to the reason if it has ended, or to undefined if it is still
     * ending.
     */
    left: left.promise,
    /** Resolves when the worker has disconnected from this process, which then holds no socket for it. */
    disconnected: disconnected.promise,
    ended: ended.promise,
    /** Returns the worker's last report. */
    lastReport: () => lastReport,
    /** Asks for a new report and waits for it, at most a second. */
    updateReport: async () => {
      send('report?');
      await Promise.race([reported.promise, pause(REPORT_TIMEOUT_MS, undefined, { ref: false })]);
    },
    /** Pings the worker. */
    ask: () => {
      send('alive?');
    },
    /** Milliseconds since the worker's last message, or since `forgive` was called. */
    silentMs: () => performance.now() - heardAt,
    forgive: () => {
      heardAt = performance.now();
    },
    /** Informs the worker that all workers serve. */
    complete: () => {
      send('complete');
    },
    /** Informs a worker that has disconnected that only workers still hold the port. */
    portIsClosed: () => {
      child.stdin?.destroy();
    },
    /** Makes the worker end gracefully, and waits; kills it if that takes too long. */
    end: async (how: 'leave' | 'shutdown') => {
      send(how);
      const timer = setTimeout(kill, END_TIMEOUT_MS[how]);
      await ended.promise;
      clearTimeout(timer);
    },
    kill,
  };
}
