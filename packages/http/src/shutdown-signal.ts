import { constants } from 'node:os';
import { log } from '@store-gateway/ops';

/** A signal repeated within this time is still the first: Ctrl-C comes from the terminal, and once more from npm. */
const SAME_SIGNAL_MS = 500;

/** Leaves enough time for a process to be gone within 10 s, also on a busy machine. */
const SHUTDOWN_TIMEOUT_MS = 8000;

/** A signal that ends a process. */
type Signal = 'SIGTERM' | 'SIGINT' | 'SIGHUP';

/** What begins a shutdown. */
interface ShutdownOptions {
  /** By default SIGTERM and SIGINT. */
  readonly signals?: readonly Signal[];
  /** Names what would outlive the process if it ended at once, for the operator. */
  readonly stillRunning?: () => string | undefined;
  /** Begins the shutdown when it is aborted, as a signal does. */
  readonly trigger?: AbortSignal;
}

/**
 * Aborts when the process has to shut down: by a signal, or by an unexpected error, which is logged and makes the exit
 * code 1. The shutdown then has a bounded time, also in the middle of a start; a second signal ends the process at once.
 * Call it once, before anything is started.
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
    // After reading what has arrived meanwhile: a duplicate may have waited for a busy event loop.
    setTimeout(() => setImmediate(() => (isSecond = true)), SAME_SIGNAL_MS).unref();
    begin();
  };
  signals.forEach((signal) => process.on(signal, onSignal));
  trigger?.addEventListener('abort', begin);
  // Unhandled rejections come here, too.
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
