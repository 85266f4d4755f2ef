import { constants } from 'node:os';
import { log } from '@gateway/log/log';

/**
 * Milliseconds in which a signal that comes again is still the first one: the terminal sends Ctrl-C to npm
 * and to us, and npm passes its own on to us too.
 */
const SAME_SIGNAL = 500;

/** Milliseconds that an orderly end may take: with them a process is gone within 10 s, also on a busy machine. */
const PATIENCE = 8000;

/**
 * Tells that the process has to end: it is told to by a signal, or something went wrong that nobody expected;
 * then that is logged and the exit code is 1. From then on an orderly end has a bounded time, wherever the
 * process is, be it still starting. A second signal that comes later than by chance ends the process at once.
 * To be called once, before anything is started.
 *
 * @param stillRunning what goes on without the process if it ends at once, for the operator to know
 */
export function whenToStop(stillRunning: () => string | undefined): AbortSignal {
  const stopping = new AbortController();
  const begin = () => {
    if (!stopping.signal.aborted) {
      boundEnd();
      stopping.abort();
    }
  };
  let isSecond = false;
  const stop = (signal: 'SIGTERM' | 'SIGINT') => {
    if (isSecond) {
      const ended = ['told to stop once more: ended at once', stillRunning()];
      log.fatal({ signal }, ended.filter((part) => part !== undefined).join('; '));
      process.exit(128 + constants.signals[signal]);
    }
    // Behind the reading of what has arrived meanwhile: a duplicate may have waited for a busy event loop.
    setTimeout(() => setImmediate(() => (isSecond = true)), SAME_SIGNAL).unref();
    begin();
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);

  // Rejections that nobody handles come here, too.
  process.on('uncaughtException', (error) => {
    process.exitCode = 1;
    try {
      log.fatal({ err: error }, 'stopped by an unexpected error');
    } catch {
      // Nothing can be told where the log can't be written; that may be what went wrong.
    }
    begin();
  });
  return stopping.signal;
}

/** Ends the process soon, with the exit code that it has, if what it still waits for doesn't come. */
function boundEnd(): void {
  setTimeout(() => {
    log.warn('ended without waiting any longer for what was under way');
    process.exit();
  }, PATIENCE).unref();
}
