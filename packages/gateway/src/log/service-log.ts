import type { LogDestination } from '../definition.ts';
import {
  log,
  outsideRequest,
  redactKeys,
  type RequestMembers,
  requestMembers,
  setLogger,
} from '@store-gateway/ops';
import { boundedOutput } from './bounded-output.ts';
import { pino } from 'pino';

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
