import { pino } from 'pino';
import { boundedOutput } from './bounded-output.ts';
import { redactKeys } from './redact-keys.ts';
import { loggedRequest, outsideRequest } from './request-context.ts';

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
    // Redacts whole lines, so that no field is missed: a path or an error may contain a key.
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

/** JSON members of each line of this process. */
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
 * Logs a line of a request, as `log.info` would: pino looks at each member by itself, which takes twice as long.
 *
 * @param message what the line tells of; most tell of the request as a whole
 */
export function logRequest(
  members: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>,
  message: 'request' | 'mutation' = 'request',
): void {
  if (log.isLevelEnabled('info')) {
    const { info } = log.levels.values;
    const text = JSON.stringify(members).slice(1, -1);
    output.write(
      redactKeys(`{"level":${info},"time":${Date.now()}${bound},${text},"msg":"${message}"}\n`),
    );
  }
}

async function stdout(): Promise<LogDestination> {
  if (process.stdout.isTTY) {
    const { terminalLog } = await import('./terminal-log.ts');
    return terminalLog();
  }
  const lines = outsideRequest(boundedOutput, 1, (dropped: number) => {
    log.warn({ dropped }, 'the log was not read in time: lines were dropped');
  });
  process.once('exit', lines.flushSync);
  return lines;
}
