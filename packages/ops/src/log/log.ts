import { inspect } from 'node:util';
import { redactKeys } from './redact-keys.ts';
import { loggedRequest, outsideRequest, requestMembers } from './request-context.ts';

/** Writes a line with a message, or with members and a message. An error is the member `err`. */
interface LogMethod {
  (message: string): void;
  (members: object, message: string): void;
}

/** The members of a log line about a request. */
export type RequestMembers = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** A logger for the packages: pino, `console`, or a wrapper around another library. */
interface Logger {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  /** Called before the process exits. Defaults to `error`. */
  readonly fatal?: LogMethod;
}

/** Optional features of a service's log. */
interface LoggerOptions {
  /** Writes a line about a request, which `members` identifies. Defaults to `info`. */
  readonly request?: (members: RequestMembers, message: string) => void;
  /** Returns the number of lines that were dropped because they were not read in time. Defaults to 0. */
  readonly droppedLines?: () => number;
}

/** Logs warnings and errors as readable lines on stderr, with API keys redacted. */
export const stderrLog: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: stderrMethod('warn'),
  error: stderrMethod('error'),
  fatal: stderrMethod('fatal'),
};

function stderrMethod(level: string): LogMethod {
  return (line: object | string, message: string = '') => {
    const [text, own] = typeof line === 'string' ? [line, {}] : [message, line];
    const members = { ...requestMembers(), ...own };
    const told = Object.keys(members).length === 0 ? '' : ` ${inspect(members)}`;
    process.stderr.write(`${redactKeys(`${level}: ${text}${told}`)}\n`);
  };
}

let logger: Logger | undefined = stderrLog;
let options: LoggerOptions = {};

/**
 * Sets the logger for all packages in this process. By default, they write warnings and errors to stderr.
 *
 * @param next the logger; undefined to turn logging off
 */
export function setLogger(next: Logger | undefined, nextOptions: LoggerOptions = {}): void {
  logger = next;
  options = nextOptions;
}

/** The process's log, which writes to the current logger. */
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
 * Logs a line about a request.
 *
 * @param message what the line is about; by default the request as a whole
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

/** Returns the number of log lines that were dropped because they were not read in time. */
export function droppedLines(): number {
  return options.droppedLines?.() ?? 0;
}

/** Milliseconds in which errors of the same kind share a line. */
const WINDOW_MS = 1000;

/** Maximum number of kinds to track at a time. Each error of any other kind gets its own line. */
const MAX_KINDS = 20;

interface Window {
  /** The id of the request under which the last line was logged. */
  requestId: string;
  /** The id of the latest request with the same error. */
  newestId: string;
  repeated: number;
}

/**
 * Logs an error that may occur in all requests during an outage.
 *
 * @param cause the error to log; errors with the same code and message are of the same kind
 * @returns the id of the request under which it is logged; undefined outside any request
 */
type LogOutage = (code: string, cause: unknown) => string | undefined;

/**
 * Logs the first error of a kind immediately. The errors of that kind within each second after it share one line, with their
 * count as `repeated`.
 */
export function createOutageLog(): LogOutage {
  const windows = new Map<string, Window>();
  return (code, cause) => {
    const kind = `${code} ${kindOf(cause)}`;
    const requestId = loggedRequest()?.id;
    const open = windows.get(kind);
    if (open !== undefined && requestId !== undefined) {
      open.repeated += 1;
      open.newestId = requestId;
      return open.requestId;
    }
    log.error({ err: cause }, code);
    // Other requests can only refer to a line that has an id.
    if (requestId !== undefined && windows.size < MAX_KINDS) {
      const window = { requestId, newestId: requestId, repeated: 0 };
      windows.set(kind, window);
      const close = (): void => {
        if (window.repeated === 0) {
          windows.delete(kind);
          return;
        }
        const { newestId, repeated } = window;
        log.error({ requestId: newestId, err: cause, repeated }, code);
        Object.assign(window, { requestId: newestId, repeated: 0 });
        setTimeout(close, WINDOW_MS).unref();
      };
      outsideRequest(() => setTimeout(close, WINDOW_MS).unref());
    }
    return requestId;
  };
}

function kindOf(cause: unknown): string {
  if (!(cause instanceof Error)) {
    return typeof cause;
  }
  return `${'code' in cause ? String(cause.code) : cause.name} ${cause.message}`;
}
