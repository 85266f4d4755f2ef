import type { LogDestination } from '../definition.ts';
import { log, outsideRequest } from '@store-gateway/ops';
import { boundedOutput } from './bounded-output.ts';

/** A destination that may also take lines that it makes when it writes them. */
interface OwnDestination extends LogDestination {
  readonly writeLater?: (line: () => string) => void;
}

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
    const { terminalLog } = await import('./terminal-log.ts');
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
