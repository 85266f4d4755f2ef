import { writeSync } from 'node:fs';
import {
  log,
  outsideRequest,
  redactKeys,
  requestMembers,
  type RequestMembers,
  setLogger,
} from '@store-gateway/ops';
import { pino } from 'pino';
import type { LogDestination } from '../definition.ts';

/** Characters that are written together, lines that are formatted together, and the milliseconds that they wait for that. */
const BLOCK = 16_384;
const MAX_UNMADE = 64;
const INTERVAL_MS = 100;

/** Bytes that may be buffered while the reader hangs. */
const MAX_WAITING = 1_048_576;

/** Milliseconds that the process waits for a hanging reader when it ends, and between attempts. */
const LAST_WAIT_MS = 1_000;
const PAUSE_MS = 10;

/**
 * Writes lines to a file, or to a non-blocking pipe as Node makes of stdout, whose reader may hang. Unread output
 * is buffered up to a limit; further lines are dropped.
 *
 * @param onResumed called with the number of lines dropped when the reader reads again
 */
export function boundedOutput(fd: number, onResumed: (dropped: number) => void) {
  /** Text that is written together, because a write costs more than the rest of a line. */
  let pending = '';
  let unmade: (() => string)[] = [];
  let waiting: Buffer = Buffer.alloc(0);
  let dropped = 0;
  let suppressed = 0;

  /** Whether waiting is useless, because the reader is gone or the disk is full. */
  let isBroken = false;

  /** @returns whether something was written, and nothing is buffered any more */
  const writeWaiting = (): boolean => {
    isBroken = false;
    let hasWritten = false;
    while (waiting.length > 0) {
      try {
        waiting = waiting.subarray(writeSync(fd, waiting));
        hasWritten = true;
      } catch (error) {
        isBroken = !(error instanceof Error && 'code' in error && error.code === 'EAGAIN');
        return false;
      }
    }
    return hasWritten;
  };
  const make = (): void => {
    const lines = unmade;
    unmade = [];
    for (const line of lines) {
      pending += line();
    }
  };
  /** @returns whether something is still buffered for a reader */
  const flush = (): boolean => {
    make();
    if (waiting.length < MAX_WAITING) {
      waiting = Buffer.concat([waiting, Buffer.from(pending)]);
    } else {
      const lines = pending.split('\n').length - 1;
      dropped += lines;
      suppressed += lines;
    }
    pending = '';
    if (writeWaiting() && suppressed > 0) {
      const lines = suppressed;
      suppressed = 0;
      onResumed(lines);
    }
    return !isBroken && waiting.length + pending.length > 0;
  };
  setInterval(flush, INTERVAL_MS).unref();
  return {
    write: (lines: string): void => {
      make();
      pending += lines;
      if (pending.length >= BLOCK) {
        flush();
      }
    },
    /** Formats the line together with others when it is written: one by one, they cost several times as much. */
    writeLater: (line: () => string): void => {
      unmade.push(line);
      if (unmade.length >= MAX_UNMADE) {
        flush();
      }
    },
    /** Waits for a reader, but only for a while. */
    flushSync: (): void => {
      const end = performance.now() + LAST_WAIT_MS;
      while (flush() && performance.now() < end) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      }
    },
    /** How many lines no reader has taken in time. */
    dropped: () => dropped,
  };
}

/** A destination that may also accept lines to be formatted when they are written. */
interface OwnDestination extends LogDestination {
  readonly writeLater?: (line: () => string) => void;
}

/** Fields that are part of a line's message on a terminal. Declared before `stdout()` runs, which uses them. */
const IN_TEXT = ['method', 'path', 'status', 'durationMs'] as const;

let destination: OwnDestination = await stdout();

/** Writes to the current destination. */
export const output = {
  write: (lines: string): void => {
    destination.write(lines);
  },
  writeLater: (line: () => string): void => {
    if (destination.writeLater === undefined) {
      destination.write(line());
    } else {
      destination.writeLater(line);
    }
  },
  flushSync: (): void => {
    destination.flushSync?.();
  },
  dropped: (): number => destination.dropped?.() ?? 0,
};

/** Redirects the log, until the result is disposed of. */
export function writeLogTo(next: LogDestination): Disposable {
  const before = destination;
  const flush = (): void => next.flushSync?.();
  destination = next;
  process.once('exit', flush);
  return {
    [Symbol.dispose]: () => {
      process.off('exit', flush);
      flush();
      destination = before;
    },
  };
}

async function stdout(): Promise<OwnDestination> {
  if (process.stdout.isTTY) {
    const readable = await terminalLog();
    if (readable !== undefined) {
      return readable;
    }
  }
  const lines = outsideRequest(boundedOutput, 1, (dropped: number) => {
    log.warn({ dropped }, 'the log was not read in time: lines were dropped');
  });
  process.once('exit', lines.flushSync);
  return lines;
}

/**
 * Readable lines: a request as `GET /path 200 1.23 ms`, an error with its stack. Undefined where pino-pretty isn't installed:
 * production does without its 13 packages.
 */
async function terminalLog(): Promise<LogDestination | undefined> {
  const pretty = await import('pino-pretty').catch((failure: unknown) => {
    if (failure instanceof Error && 'code' in failure && failure.code === 'ERR_MODULE_NOT_FOUND') {
      return undefined;
    }
    throw failure;
  });
  return pretty?.PinoPretty({
    sync: true,
    singleLine: true,
    ignore: IN_TEXT.join(','),
    messageFormat: (line, messageKey) => {
      const [method, path, status, durationMs] = IN_TEXT.map((name) => line[name]);
      const duration = typeof durationMs === 'number' ? `${durationMs} ms` : undefined;
      return [method ?? line[messageKey], path, status, duration]
        .filter((part) => part !== undefined)
        .map(String)
        .join(' ');
    },
  });
}

const logger = pino(
  {
    base: null,
    // Redacts whole lines, so that no field is missed: a path or an error may contain a key.
    hooks: { streamWrite: redactKeys },
    mixin: requestMembers,
  },
  output,
);

/**
 * Makes this process log as a service: lines of JSON on stdout, or readable ones on a terminal, with API keys redacted.
 *
 * @param level the lowest that is logged
 */
export function logFrom(level = 'info'): void {
  logger.level = level;
  setLogger(logger, { request: logRequest, droppedLines: output.dropped });
}

/** JSON members of each line of this process. */
let bound = '';

/** Adds the process id to each line, because several processes share the log. */
export function logProcessId(): void {
  logger.setBindings({ pid: process.pid });
  bound = `,"pid":${process.pid}`;
}

/** Logs a line as `log.info` would. pino handles each member by itself, which takes twice as long. */
function logRequest(members: RequestMembers, message: string): void {
  if (logger.isLevelEnabled('info')) {
    const time = Date.now();
    output.writeLater(() => {
      const { info } = logger.levels.values;
      const text = JSON.stringify(members).slice(1, -1);
      return redactKeys(`{"level":${info},"time":${time}${bound},${text},"msg":"${message}"}\n`);
    });
  }
}
