import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { StartupFailure, log } from '@store-gateway/ops';
import {
  messageHandler,
  type Message,
  type ToSupervisor,
  type ToWorker,
} from './worker-process.ts';

/** Maximum time for all workers to disconnect, in milliseconds. */
const DISCONNECT_TIMEOUT_MS = 2000;

/**
 * Joins the supervisor that started this process. Call it before anything else, because it also handles signals.
 *
 * @throws StartupFailure if no supervisor started this process
 */
export function joinSupervisor() {
  const { worker } = cluster;
  if (worker === undefined) {
    throw new StartupFailure('This is the program of a worker process: run `npm start` instead');
  }
  // Otherwise, Node would end the process immediately if the supervisor is gone, with requests in flight.
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
  // stdin has no input. Only its end matters.
  const released = Promise.withResolvers<void>();
  process.stdin
    .resume()
    .on('error', () => undefined)
    .once('close', released.resolve);
  process.stdin.unref();
  process.on('SIGTERM', () => void send('leave?'));
  // A terminal sends signals to all of its processes. The supervisor decides what to do.
  process.on('SIGINT', () => undefined).on('SIGHUP', () => undefined);

  return {
    /** Resolves to the settings from the supervisor. */
    settings: settings.promise,
    /** Resolves when all workers of the service serve. */
    complete: complete.promise,
    /** Aborted when this worker has to end, while others keep serving. */
    leave: leave.signal,
    /**
     * Aborted when the whole service ends, even while this worker is leaving: on the supervisor's message, or if the supervisor
     * is gone.
     */
    shutdown: shutdown.signal,
    /** Reports that this worker serves, at this URL. */
    ready: (url: string) => void send('ready', url),
    /** Reports that this worker can't start. */
    failed: (reason: string) => void send('failed', reason),
    /** Reports that this worker ends, and needs a successor. */
    leaving: () => void send('leaving'),
    /** Sets the function that creates the reports that the supervisor asks for. */
    reportBy: (next: () => Promise<string>) => {
      report = next;
    },
    /** Sends a report without being asked. Never rejects. */
    sendReport,
    /**
     * Disconnects from the supervisor. In Node's cluster module, the supervisor holds the listening socket until each worker
     * has disconnected or closed it. Connections that the kernel accepts after the last worker has closed it would be reset.
     */
    disconnect: () => {
      if (process.connected) process.disconnect?.();
    },
    /** Resolves when all workers have disconnected, two seconds after this one at the latest. */
    portClosed: (): Promise<unknown> =>
      Promise.race([released.promise, pause(DISCONNECT_TIMEOUT_MS, undefined, { ref: false })]),
  };
}

/** Sends a message. Resolves when it is sent, or if the supervisor is gone. */
async function send(type: ToSupervisor, content?: unknown): Promise<void> {
  if (process.connected) {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const message: Message<ToSupervisor> = { type, content };
    process.send?.(message, undefined, undefined, resolve);
    await promise;
  }
}
