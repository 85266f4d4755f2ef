import { constants } from 'node:os';
import { log } from '@store-gateway/ops';

/** A signal that is repeated within this time counts once: on Ctrl-C, the terminal sends it, and npm sends it again. */
const SAME_SIGNAL_MS = 500;

/** Time limit for a shutdown, low enough that a process ends within 10 s even on a busy machine. */
const SHUTDOWN_TIMEOUT_MS = 8000;

/** A signal that ends a process. */
type Signal = 'SIGTERM' | 'SIGINT' | 'SIGHUP';

/** Defines what starts a shutdown, and what outlives the process. */
interface ShutdownOptions {
  /** Defaults to SIGTERM and SIGINT. */
  readonly signals?: readonly Signal[];
  /** Returns a message for the operator about anything that keeps running if the process exits immediately. */
  readonly stillRunning?: () => string | undefined;
  /** Starts the shutdown when this signal is aborted, as a system signal would. */
  readonly trigger?: AbortSignal;
}

/**
 * Returns a signal that is aborted when the process must shut down: on a system signal, or on an unexpected error, which is
 * logged and sets the exit code to 1. From then on, the shutdown has a time limit, even during startup, and a second signal ends
 * the process immediately. Call this once, before anything is started.
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
    // Runs only after data that arrived in the meantime has been read, because a duplicate signal may have waited for a busy
    // event loop.
    setTimeout(() => setImmediate(() => (isSecond = true)), SAME_SIGNAL_MS).unref();
    begin();
  };
  signals.forEach((signal) => process.on(signal, onSignal));
  trigger?.addEventListener('abort', begin);
  // Node reports unhandled rejections here, too.
  process.on('uncaughtException', (error) => {
    process.exitCode = 1;
    try {
      log.fatal({ err: error }, 'stopped by an unexpected error');
    } catch {
      // The log can't be written, which may be the original error.
    }
    begin();
  });
  return shutdown.signal;
}
