import { constants } from 'node:os';
import { log } from '@store-gateway/ops';

/**
 * A signal that is repeated within this time counts as the first one: on Ctrl-C, the terminal sends it, and npm sends it again.
 */
const SAME_SIGNAL_MS = 500;

/** Leaves enough time for a process to end within 10 s, even on a busy machine. */
const SHUTDOWN_TIMEOUT_MS = 8000;

/** A signal that ends a process. */
type Signal = 'SIGTERM' | 'SIGINT' | 'SIGHUP';

/** What begins a shutdown, and what would outlive the process. */
interface ShutdownOptions {
  /** By default SIGTERM and SIGINT. */
  readonly signals?: readonly Signal[];
  /** Names, for the operator, what would outlive the process if it ended immediately. */
  readonly stillRunning?: () => string | undefined;
  /** Begins the shutdown when it is aborted, as a signal does. */
  readonly trigger?: AbortSignal;
}

/**
 * Returns a signal that is aborted when the process has to shut down: on a system signal, or on an unexpected error, which is
 * logged and makes the exit code 1. From then on, the shutdown has a time limit, even during startup; a second signal ends the
 * process immediately. Call it once, before anything is started.
 */
export function shutdownSignal({
  signals = ['SIGTERM', 'SIGINT'],
  stillRunning,
  trigger,
}: ShutdownOptions = {}): AbortSignal {
  const shutdown = new AbortController();
  const begin = () => {
    if (shutdown.signal.aborted) {
      return;
    }
    setTimeout(() => {
      log.warn('shutdown timed out: ended with requests in flight');
      process.exit();
    }, SHUTDOWN_TIMEOUT_MS).unref();
    shutdown.abort();
  };
  let isSecond = false;
  const onSignal = (signal: Signal) => {
    if (isSecond) {
      const ended = ['second shutdown signal: ended immediately', stillRunning?.()];
      log.fatal({ signal }, ended.filter((part) => part !== undefined).join('; '));
      process.exit(128 + constants.signals[signal]);
    }
    // Only after data that arrived meanwhile has been read: a duplicate may have waited for a busy event loop.
    setTimeout(() => setImmediate(() => (isSecond = true)), SAME_SIGNAL_MS).unref();
    begin();
  };
  signals.forEach((signal) => process.on(signal, onSignal));
  trigger?.addEventListener('abort', begin);
  // Node raises unhandled rejections here, too.
  process.on('uncaughtException', (error) => {
    process.exitCode = 1;
    try {
      log.fatal({ err: error }, 'stopped by an unexpected error');
    } catch {
      // The log can't be written; that may be what went wrong.
    }
    begin();
  });
  return shutdown.signal;
}
