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

/**
 * How many characters are written at once, how many lines are formatted at once, and how many milliseconds lines may wait to be
 * formatted.
 */
const BLOCK = 16_384;
const MAX_UNMADE = 64;
const INTERVAL_MS = 100;

/** Maximum number of bytes to buffer while the reader is stalled. */
const MAX_WAITING = 1_048_576;

/** How many milliseconds an exiting process waits for a stalled reader, and how many pass between its attempts to write. */
const LAST_WAIT_MS = 1_000;
const PAUSE_MS = 10;

/**
 * Writes lines to a file or a non-blocking pipe, such as Node's stdout. If the pipe's reader stalls, output is buffered up to a
 * limit, and then dropped.
 *
 * @param onResumed called with the number of dropped lines when the reader has resumed reading
 */
export function boundedOutput(fd: number, onResumed: (dropped: number) => void) {
  /** Text to write in one call, because a write takes longer than all other work on a line. */
  let pending = '';
  let unmade: (() => string)[] = [];
  let waiting: Buffer = Buffer.alloc(0);
  let dropped = 0;
  let suppressed = 0;

  /** Whether the last write failed for a reason other than a stalled reader, such as a closed pipe or a full disk. */
  let isBroken = false;

  /** @returns whether something was written and nothing is buffered anymore */
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
    /** Formats the line later, together with other lines: formatting each line separately would take several times as long. */
    writeLater: (line: () => string): void => {
      unmade.push(line);
      if (unmade.length >= MAX_UNMADE) {
        flush();
      }
    },
    /** Waits for the reader, but only for a limited time. */
    flushSync: (): void => {
      const end = performance.now() + LAST_WAIT_MS;
      while (flush() && performance.now() < end) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      }
    },
    /** Returns the number of lines that were dropped because they were not read in time. */
    dropped: () => dropped,
  };
}

/** A destination that may be able to format lines later, in batches. */
interface OwnDestination extends LogDestination {
  readonly writeLater?: (line: () => string) => void;
}

/** Fields that a terminal shows as part of a line's message. Declared before `stdout()` runs, which uses them. */
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

/** Redirects the log until the result is disposed of. */
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
    log.warn({ dropped }, 'dropped log lines that were not read in time');
  });
  process.once('exit', lines.flushSync);
  return lines;
}

/**
 * Creates a destination that writes human-readable lines: a request as `GET /path 200 1.23 ms`, an error with its stack. Returns
 * undefined if pino-pretty isn't installed: production omits its 13 packages.
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
    // Redacts whole lines, so that no field is missed: any path or error may contain a key.
    hooks: { streamWrite: redactKeys },
    mixin: requestMembers,
  },
  output,
);

/**
 * Makes this process log to stdout, with API keys redacted. The lines are JSON, or human-readable on a terminal.
 *
 * @param level the lowest level that is logged
 */
export function logFrom(level = 'info'): void {
  logger.level = level;
  setLogger(logger, { request: logRequest, droppedLines: output.dropped });
}

/** The JSON members that are common to all lines from this process. */
let bound = '';

/** Adds the process id to each line, because several processes share the log. */
export function logProcessId(): void {
  logger.setBindings({ pid: process.pid });
  bound = `,"pid":${process.pid}`;
}

/** Logs a line like `log.info`, but in half the time, because pino handles each member separately. */
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
