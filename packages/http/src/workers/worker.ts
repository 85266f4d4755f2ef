import type { Readable } from 'node:stream';
import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { isJsonObject, log, StartupFailure } from '@store-gateway/ops';

/** The type of a message from the supervisor to a worker. */
type ToWorker =
  /** The first message, with settings that the environment doesn't contain. */
  | 'settings'
  | 'report?'
  | 'alive?'
  /** All workers are serving. */
  | 'complete'
  /** Both messages end the worker: other workers keep serving after 'leave', and the whole service ends after 'shutdown'. */
  | 'leave'
  | 'shutdown';

/** The type of a message from a worker to its supervisor. */
type ToSupervisor =
  /** The worker is serving. The content is its URL. */
  | 'ready'
  /** The worker can't start. The content is the reason. */
  | 'failed'
  /** The worker was asked to end, and will do so when its successor serves. */
  | 'leave?'
  /** The worker no longer accepts connections, and is ending. */
  | 'leaving'
  | 'alive'
  /** The content is the text of the worker's report. */
  | 'report';

interface Message<Type> {
  readonly type: Type;
  readonly content?: unknown;
}

/** Returns a function that handles messages by their type, and ignores all others, such as those from `node --watch`. */
function messageHandler<Type extends string>(
  handlers: Readonly<Record<Type, (content: unknown) => void>>,
): (message: unknown) => void {
  const byType = new Map<unknown, (content: unknown) => void>(Object.entries(handlers));
  return (message) => {
    const { type, content } = isJsonObject(message) ? message : {};
    byType.get(type)?.(content);
  };
}

/** Maximum number of bytes to buffer while stderr's reader doesn't read. */
const MAX_WAITING = 1_048_576;

/**
 * Forwards a process's output in whole lines. If several processes shared a pipe, writes longer than PIPE_BUF would interleave.
 * The incomplete last line of a killed process is dropped.
 */
function forwardLines(stream: Readable, write: (lines: string) => void): void {
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
 * Forwards a worker's stderr: Node's warnings, and the reason for a crash. If the worker inherited stderr, libuv would make it
 * blocking when the worker starts, and Node would when the worker ends. If this process's stdout is the same pipe, it would
 * become blocking, too, and a reader that hangs would stop this process. Output that the reader doesn't read is dropped.
 */
function forwardErrors(stream: Readable): void {
  process.stderr.off('error', ignore).on('error', ignore);
  forwardLines(stream, (lines) => {
    if (process.stderr.writableLength < MAX_WAITING) process.stderr.write(lines);
  });
}

/** Ignores an error from a stderr whose reader is gone, because there is nowhere else to report it. */
function ignore(): void {
  // Nothing can be done.
}

/** Maximum time for a worker to become ready. It is longer than the worker's own timeouts during startup. */
const START_TIMEOUT_MS = 60_000;

/**
 * Maximum time for a worker to end. It is longer than the worker's own limits; a worker that leaves also waits for its clients to
 * disconnect.
 */
const END_TIMEOUT_MS = { leave: 150_000, shutdown: 9000 };

/** Maximum time to wait for a worker's report. After that, its previous report is used. */
const REPORT_TIMEOUT_MS = 1000;

/**
 * Starts a worker process.
 *
 * @param writeLines called with the lines on the worker's stdout
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

  const sendToWorker = (type: ToWorker, content?: unknown): void => {
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
  // Callers that await the start handle the rejection.
  ready.promise.catch(() => undefined);
  if (child.stdout !== null) forwardLines(child.stdout, writeLines);
  if (child.stderr !== null) forwardErrors(child.stderr);
  // For example, the process can't be forked, or a message was sent to a killed process.
  worker.on('error', ({ message }: Error) => {
    if (child.pid === undefined) onEnd(`cannot be started: ${message}`);
  });
  // On 'close' rather than 'exit', so that this runs after the last line of output.
  child.once('close', (code: number | null, signal: NodeJS.Signals | null) => {
    onEnd(signal === null ? `exited with code ${code}` : `was killed by ${signal}`);
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
  sendToWorker('settings', settings);

  return {
    pid: child.pid,
    /** Resolves to the worker's URL; rejects with a StartupFailure if the worker ends before it serves. */
    ready: ready.promise,
    /** Resolves when the worker asks for a successor. */
    wantsToLeave: wantsToLeave.promise,
    /**
     * Resolves when the worker no longer accepts connections: to the reason if it has ended, or to undefined if it is still
     * ending.
     */
    left: left.promise,
    /** Resolves when the worker has disconnected. This process then holds no socket for it. */
    disconnected: disconnected.promise,
    ended: ended.promise,
    /** Returns the worker's last report. */
    lastReport: () => lastReport,
    /** Requests a new report, and waits up to a second for it. */
    updateReport: async () => {
      sendToWorker('report?');
      await Promise.race([reported.promise, pause(REPORT_TIMEOUT_MS, undefined, { ref: false })]);
    },
    /** Pings the worker. */
    ask: () => {
      sendToWorker('alive?');
    },
    /** Milliseconds since the worker's last message, or since `forgive` was called. */
    silentMs: () => performance.now() - heardAt,
    forgive: () => {
      heardAt = performance.now();
    },
    /** Informs the worker that all workers are serving. */
    complete: () => {
      sendToWorker('complete');
    },
    /** Informs a disconnected worker that all workers have disconnected, so the supervisor no longer holds the port. */
    portIsClosed: () => {
      child.stdin?.destroy();
    },
    /** Makes the worker end gracefully, and waits. Kills it if that takes too long. */
    end: async (how: 'leave' | 'shutdown') => {
      sendToWorker(how);
      const timer = setTimeout(kill, END_TIMEOUT_MS[how]);
      await ended.promise;
      clearTimeout(timer);
    },
    kill,
  };
}

/** Maximum time for all workers to disconnect, in milliseconds. */
const DISCONNECT_TIMEOUT_MS = 2000;

/**
 * Joins the supervisor that started this process. Call this before anything else, because it also handles signals.
 *
 * @throws StartupFailure if no supervisor started this process
 */
export function joinSupervisor() {
  const { worker } = cluster;
  if (worker === undefined) {
    throw new StartupFailure('This program runs only as a worker process: use `npm start` instead');
  }
  // Otherwise, Node would end the process immediately when the supervisor is gone, even with requests in flight.
  worker.exitedAfterDisconnect = true;
  const leave = new AbortController();
  const shutdown = new AbortController();
  const settings = Promise.withResolvers<unknown>();
  const complete = Promise.withResolvers<void>();
  let report: (() => Promise<string>) | undefined;

  const sendReport = async (): Promise<void> => {
    try {
      const latest = await report?.();
      if (latest !== undefined) await send('report', latest);
    } catch (error) {
      log.error({ err: error }, 'the worker could not send its report');
    }
  };
  const handle = messageHandler<ToWorker>({
    settings: settings.resolve,
    'report?': () => void sendReport(),
    'alive?': () => void send('alive'),
    complete: () => {
      complete.resolve();
    },
    leave: () => {
      leave.abort();
    },
    shutdown: () => {
      shutdown.abort();
    },
  });
  process.on('message', handle);
  process.once('disconnect', () => {
    shutdown.abort();
  });
  // stdin has no input; only its end matters.
  const released = Promise.withResolvers<void>();
  process.stdin
    .resume()
    .on('error', () => undefined)
    .once('close', released.resolve);
  process.stdin.unref();
  process.on('SIGTERM', () => void send('leave?'));
  // A terminal sends signals to all of its processes, but the supervisor decides what to do.
  process.on('SIGINT', () => undefined).on('SIGHUP', () => undefined);

  return {
    /** Resolves to the settings from the supervisor. */
    settings: settings.promise,
    /** Resolves when all workers of the service are serving. */
    complete: complete.promise,
    /** Aborted when this worker must end, while other workers keep serving. */
    leave: leave.signal,
    /**
     * Aborted when the whole service ends, on the supervisor's message or because the supervisor is gone. That may happen while
     * this worker is leaving.
     */
    shutdown: shutdown.signal,
    /** Reports that this worker serves at a URL. */
    ready: (url: string) => void send('ready', url),
    /** Reports that this worker can't start. */
    failed: (reason: string) => void send('failed', reason),
    /** Reports that this worker is ending, and needs a successor. */
    leaving: () => void send('leaving'),
    /** Sets the function that creates the reports that the supervisor requests. */
    reportBy: (next: () => Promise<string>) => {
      report = next;
    },
    /** Sends a report without being asked for one. Never rejects. */
    sendReport,
    /**
     * Disconnects from the supervisor. In Node's cluster module, the supervisor holds the listening socket until every worker has
     * disconnected or closed it. Connections that the kernel accepts after the last worker has closed it would be reset.
     */
    disconnect: () => {
      if (process.connected) process.disconnect?.();
    },
    /** Resolves when all workers have disconnected, two seconds after this one at the latest. */
    portClosed: (): Promise<unknown> =>
      Promise.race([released.promise, pause(DISCONNECT_TIMEOUT_MS, undefined, { ref: false })]),
  };
}

/** Sends a message. Resolves when the message is sent, or if the supervisor is gone. */
async function send(type: ToSupervisor, content?: unknown): Promise<void> {
  if (process.connected) {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const message: Message<ToSupervisor> = { type, content };
    process.send?.(message, undefined, undefined, resolve);
    await promise;
  }
}
