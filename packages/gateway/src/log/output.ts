import type { LogDestination } from '../definition.ts';
import { log, outsideRequest } from '@store-gateway/ops';
import { boundedOutput } from './bounded-output.ts';

/** A destination that may also take lines that it makes when it writes them. */
interface OwnDestination extends LogDestination {
  readonly writeLater?: (line: () => string) => void;
}

/** Fields of a line on a terminal that are part of its message. Above `stdout()`, which uses them. */
const IN_TEXT = ['method', 'path', 'status', 'durationMs'] as const;

let destination: OwnDestination = await stdout();

/** Whatever the destination is at the time. */
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

/** Has the log written elsewhere from now on, and where it was before when that is disposed of. */
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
