import { writeSync } from 'node:fs';

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
  let untold = 0;

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
      untold += lines;
    }
    pending = '';
    if (writeWaiting() && untold > 0) {
      const lines = untold;
      untold = 0;
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
