import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { log } from '@gateway/log/log';
import { readToWorker, type ToSupervisor } from './messages.ts';

/** For all workers to disconnect in: milliseconds. */
const DISCONNECT_TIMEOUT_MS = 2000;

/** A worker's way to its supervisor. */
export interface SupervisorLink {
  /** What the supervisor gives its workers. */
  readonly settings: Promise<unknown>;
  /** Resolves when all workers of the service serve. */
  readonly complete: Promise<void>;
  /** Aborted when it has to end, and others go on serving. */
  readonly leave: AbortSignal;
  /** Aborted when the whole service ends, also in the middle of that: it was told to, or its supervisor has gone. */
  readonly shutdown: AbortSignal;
  readonly ready: (url: string) => void;
  /** That it can't start. */
  readonly failed: (reason: string) => void;
  /** That it ends, and needs a successor. */
  readonly leaving: () => void;
  /** Answers the supervisor when it asks for a report. */
  readonly reportBy: (report: () => Promise<string>) => void;
  /** Reports without being asked, once there is nothing more to tell. Never rejects. */
  readonly sendReport: () => Promise<void>;
  /**
   * Disconnects from the supervisor. Node's cluster module has that hold the listening socket until each worker has disconnected
   * or closed it: what the kernel accepts after the last one has closed it would be reset.
   */
  readonly disconnect: () => void;
  /** Resolves when all workers have disconnected, two seconds after this one at the latest. */
  readonly portClosed: () => Promise<unknown>;
}

/** Joins the supervisor that has made this process. Call it first of all: it handles signals, too. */
export function joinSupervisor(): SupervisorLink {
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
      if (latest !== undefined) await send({ type: 'report', report: latest });
    } catch (error) {
      log.error({ err: error }, 'the worker cannot report');
    }
  };
  process.on('message', (received) => {
    const message = readToWorker(received);
    switch (message?.type) {
      case 'settings':
        settings.resolve(message.settings);
        break;
      case 'report?':
        void sendReport();
        break;
      case 'alive?':
        void send({ type: 'alive' });
        break;
      case 'complete':
        complete.resolve();
        break;
      case 'leave':
        leave.abort();
        break;
      case 'shutdown':
        shutdown.abort();
        break;
      case undefined:
    }
  });
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
  process.on('SIGTERM', () => void send({ type: 'leave?' }));
  // A terminal sends them to all of its processes: the supervisor tells what follows from it.
  process.on('SIGINT', () => undefined).on('SIGHUP', () => undefined);

  return {
    settings: settings.promise,
    complete: complete.promise,
    leave: leave.signal,
    shutdown: shutdown.signal,
    ready: (url) => void send({ type: 'ready', url }),
    failed: (reason) => void send({ type: 'failed', reason }),
    leaving: () => void send({ type: 'leaving' }),
    reportBy: (next) => {
      report = next;
    },
    sendReport,
    disconnect: () => {
      if (process.connected) process.disconnect?.();
    },
    portClosed: () =>
      Promise.race([released.promise, pause(DISCONNECT_TIMEOUT_MS, undefined, { ref: false })]),
  };
}

/** Resolves once it is on its way, or if there is nobody to tell any more. */
async function send(message: ToSupervisor): Promise<void> {
  if (process.connected) {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    process.send?.(message, undefined, undefined, resolve);
    await promise;
  }
}
