import cluster from 'node:cluster';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { log } from '@gateway/log/log';
import { readToWorker, type ToSupervisor } from './messages.ts';

/** A worker's way to its supervisor. */
export interface SupervisorLink {
  /** What the supervisor gives its workers. */
  readonly settings: Promise<unknown>;
  /** Aborted when it has to end: it was told to, or its supervisor has gone. */
  readonly told: AbortSignal;
  /** Whether the whole service ends, rather than this worker alone. */
  readonly isShutdown: () => boolean;
  readonly ready: (url: string) => void;
  /** That it can't start. */
  readonly failed: (reason: string) => void;
  /** That it ends, and needs a successor. */
  readonly leaving: () => void;
  /** Answers the supervisor when it asks for a report. */
  readonly reportBy: (report: () => Promise<string>) => void;
  /** Reports without being asked, once there is nothing more to tell. Never rejects. */
  readonly sendReport: () => Promise<void>;
  /** Lets the process end. */
  readonly end: () => void;
}

/** Joins the supervisor that has made this process. Call it first of all: it handles signals, too. */
export function joinSupervisor(): SupervisorLink {
  const { worker } = cluster;
  if (worker === undefined) {
    throw new StartupFailure('This is the program of a worker process: run `npm start` instead');
  }
  // Without a supervisor, Node would end the process at once, with requests under way.
  worker.exitedAfterDisconnect = true;
  const told = new AbortController();
  const settings = Promise.withResolvers<unknown>();
  let isShutdown = false;
  let report: (() => Promise<string>) | undefined;

  const sendReport = async (): Promise<void> => {
    try {
      const latest = await report?.();
      if (latest !== undefined) await send({ type: 'report', report: latest });
    } catch (error) {
      log.error({ err: error }, 'the worker cannot report');
    }
  };
  const shutDown = () => {
    isShutdown = true;
    told.abort();
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
      case 'leave':
        told.abort();
        break;
      case 'shutdown':
        shutDown();
        break;
      case undefined:
    }
  });
  process.once('disconnect', shutDown);
  process.on('SIGTERM', () => void send({ type: 'leave?' }));
  // A terminal sends them to all of its processes: the supervisor tells what follows from it.
  process.on('SIGINT', () => undefined).on('SIGHUP', () => undefined);

  return {
    settings: settings.promise,
    told: told.signal,
    isShutdown: () => isShutdown,
    ready: (url) => void send({ type: 'ready', url }),
    failed: (reason) => void send({ type: 'failed', reason }),
    leaving: () => void send({ type: 'leaving' }),
    reportBy: (next) => {
      report = next;
    },
    sendReport,
    end: () => {
      if (process.connected) process.disconnect?.();
    },
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
