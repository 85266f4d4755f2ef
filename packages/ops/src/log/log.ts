import type { LogMethod, RequestMembers, Logger, LoggerOptions } from './logger.ts';
import { stderrLog } from './stderr-log.ts';

let logger: Logger | undefined = stderrLog;
let options: LoggerOptions = {};

/**
 * Has the packages log by this from now on: all of them, as they share the process. By default they write warnings and errors to
 * stderr.
 *
 * @param next undefined for no log at all
 */
export function setLogger(next: Logger | undefined, nextOptions: LoggerOptions = {}): void {
  logger = next;
  options = nextOptions;
}

/** The log of the process, written by whichever logger is set at the time. */
export const log = {
  debug: methodOf('debug'),
  info: methodOf('info'),
  warn: methodOf('warn'),
  error: methodOf('error'),
  fatal: methodOf('fatal'),
};

function methodOf(level: 'debug' | 'info' | 'warn' | 'error' | 'fatal'): LogMethod {
  return (line: object | string, message: string = '') => {
    const name = level === 'fatal' && logger?.fatal === undefined ? 'error' : level;
    if (typeof line === 'string') {
      logger?.[name]?.(line);
    } else {
      logger?.[name]?.(line, message);
    }
  };
}

/**
 * Logs a line of a request.
 *
 * @param message what the line tells of; most tell of the request as a whole
 */
export function logRequest(
  members: RequestMembers,
  message: 'request' | 'mutation' = 'request',
): void {
  if (options.request === undefined) {
    logger?.info(members, message);
  } else {
    options.request(members, message);
  }
}

/** How many lines of the log were lost because nobody read them in time. */
export function droppedLines(): number {
  return options.droppedLines?.() ?? 0;
}
