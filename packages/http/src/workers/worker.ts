import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { StartupFailure, log } from '@store-gateway/ops';
import {
  messageHandler,
  type Message,
  type ToSupervisor,
  type ToWorker,
} from './worker-process.ts';

/** For all workers to disconnect in: milliseconds. */
const DISCONNECT_TIMEOUT_MS = 2000;

/**
 * Joins the supervisor that has made this process. Call it first of all: it handles signals, too.
 *
 * @throws StartupFailure if no supervisor has
 */
export function joinSupervisor() {
  const { worker } = cluster;
  if (worker === undefined) {
    throw new StartupFailure('This is the program of a worker process: run `npm start` instead');
  }
  // Without a supervisor, Node would end the process at once, with requests under way.
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
  // It has no input but its end.
  const released = Promise.withResolvers<void>();
  process.stdin
    .resume()
    .on('error', () => undefined)
    .once('close', released.resolve);
  process.stdin.unref();
  process.on('SIGTERM', () => void send('leave?'));
  // A terminal sends signals to all of its processes: the supervisor decides what to do.
  process.on('SIGINT', () => undefined).on('SIGHUP', () => undefined);

  return {
    /** What the supervisor gives its workers. */
    settings: settings.promise,
    /** Resolves when all workers of the service serve. */
    complete: complete.promise,
    /** Aborted when it has to end, and others go on serving. */
    leave: leave.signal,
    /** Aborted when the whole service ends, also while leaving: on the supervisor's message, or because it has gone. */
    shutdown: shutdown.signal,
    /** That it serves, at this address. */
    ready: (url: string) => void send('ready', url),
    /** That it can't start. */
    failed: (reason: string) => void send('failed', reason),
    /** That it ends, and needs a successor. */
    leaving: () => void send('leaving'),
    /** Answers the supervisor when it asks for a report. */
    reportBy: (next: () => Promise<string>) => {
      report = next;
    },
    /** Sends a last report without being asked. Never rejects. */
    sendReport,
    /**
     * Disconnects from the supervisor. Node's cluster module has that hold the listening socket until each worker has disconnected
     * or closed it: what the kernel accepts after the last one has closed it would be reset.
     */
    disconnect: () => {
      if (process.connected) process.disconnect?.();
    },
    /** Resolves when all workers have disconnected, two seconds after this one at the latest. */
    portClosed: (): Promise<unknown> =>
      Promise.race([released.promise, pause(DISCONNECT_TIMEOUT_MS, undefined, { ref: false })]),
  };
}

/** Resolves once the message is sent, or if the supervisor has gone. */
async function send(type: ToSupervisor, content?: unknown): Promise<void> {
  if (process.connected) {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const message: Message<ToSupervisor> = { type, content };
    process.send?.(message, undefined, undefined, resolve);
    await promise;
  }
}
