import { AsyncLocalStorage } from 'node:async_hooks';
import { pino } from 'pino';
import { storeUnnoticed } from '@gateway/coalescing/own-reads';
import { boundedOutput } from './bounded-output.ts';
import { redactKeys } from './redact-keys.ts';

/** `unknown` is also a key that was revoked; `rate_limited` one that was not looked up. */
export type AuthenticationOutcome =
  'ok' | 'no_key' | 'malformed' | 'unknown' | 'expired' | 'rate_limited';

/** What is known of a request in flight, for its own log line, and for all others written in its context. */
export interface RequestContext {
  readonly id: string;
  traceId?: string | undefined;
  /** One of the server's own names: an operation of REST, or what GraphQL executes. */
  operation?: string | undefined;
  authentication?: AuthenticationOutcome | undefined;
  keyId?: string | undefined;
  /** The id of another request under which its error is logged, as they share it. */
  errorLoggedUnder?: string | undefined;
  /** The code of a failure of the service (OpenTelemetry's error.type) behind a status of success. */
  errorType?: string | undefined;
  /** How long it has waited for its client's turns and share. */
  waitedMs?: number | undefined;
  /** Set if identical requests wait for its response. */
  sharesResponse?: boolean | undefined;
  /** Set if its response is for it alone, though another request may be identical. */
  keepsResponse?: true | undefined;
  /** Set if it uses something deprecated. */
  deprecated?: true | undefined;
}

export const requestContext = new AsyncLocalStorage<RequestContext>();

/** Runs what a request has triggered outside its context: it is logged and traced as part of no request. */
export const outsideRequest = AsyncLocalStorage.snapshot();

/**
 * The request under which is logged what happens now. Resolvers read `requestContext`, so that it is noticed: their result is
 * then no other request's.
 */
export function loggedRequest(): RequestContext | undefined {
  return storeUnnoticed(requestContext);
}

/** Says that the response to the current request is for it alone. */
export function keepResponse(): void {
  const request = loggedRequest();
  if (request !== undefined) {
    request.keepsResponse = true;
  }
}

/** Sets the operation of the current request, one of the server's own names. */
export function nameOperation(name: string): void {
  const request = loggedRequest();
  if (request !== undefined) {
    request.operation = name;
  }
}

/** Adds to the time that the current request has waited. */
export function addWait(milliseconds: number): void {
  const request = loggedRequest();
  if (request !== undefined && milliseconds > 0) {
    request.waitedMs = (request.waitedMs ?? 0) + milliseconds;
  }
}

/** Takes whole lines of the log. */
export interface LogDestination {
  readonly write: (line: string) => void;
  /** Called after each fatal line, and at the end of the process. */
  readonly flushSync?: () => void;
  /** How many lines were dropped. */
  readonly dropped?: () => number;
}

let output: LogDestination = await stdout();

/** Whatever that is at the time. */
const current: LogDestination = {
  write: (line) => {
    output.write(line);
  },
  flushSync: () => output.flushSync?.(),
};

/** The process's log: JSON lines on stdout, or readable ones if that is a terminal. */
export const log = pino(
  {
    base: null,
    // Of whole lines, so that no field is missed: a path or an error may contain a key.
    hooks: { streamWrite: redactKeys },
    mixin: () => {
      const request = loggedRequest();
      if (request === undefined) {
        return {};
      }
      const { id: requestId, traceId } = request;
      return traceId === undefined ? { requestId } : { requestId, traceId };
    },
  },
  current,
);

/** Has the log written elsewhere from now on, and on stdout again when that is disposed of. */
export function writeLogTo(destination: LogDestination): Disposable {
  const before = output;
  const flush = (): void => destination.flushSync?.();
  output = destination;
  process.once('exit', flush);
  return {
    [Symbol.dispose]: () => {
      process.off('exit', flush);
      flush();
      output = before;
    },
  };
}

/** What each line of this process says, as JSON's members. */
let bound = '';

/** Says in each line of this process which one it is, where several share a log. */
export function logProcessId(): void {
  log.setBindings({ pid: process.pid });
  bound = `,"pid":${process.pid}`;
}

/** How many lines were dropped because nobody read them in time. */
export function droppedLines(): number {
  return output.dropped?.() ?? 0;
}

/** Adds whole lines of another process's log, as they are. */
export function addToLog(text: string): void {
  output.write(text);
}

/**
 * Logs the one line of a request, as `log.info` would: pino looks at each member by itself, which takes twice as
 * long.
 */
export function logRequest(
  members: Readonly<Record<string, string | number | boolean | undefined>>,
): void {
  if (log.isLevelEnabled('info')) {
    const { info } = log.levels.values;
    const text = JSON.stringify(members).slice(1, -1);
    output.write(
      redactKeys(`{"level":${info},"time":${Date.now()}${bound},${text},"msg":"request"}\n`),
    );
  }
}

async function stdout(): Promise<LogDestination> {
  if (process.stdout.isTTY) {
    const { terminalLog } = await import('./terminal-log.ts');
    return terminalLog();
  }
  const lines = outsideRequest(boundedOutput, 1, (dropped: number) => {
    log.warn({ dropped }, 'nobody has read the log: lines were dropped');
  });
  process.once('exit', lines.flushSync);
  return lines;
}
