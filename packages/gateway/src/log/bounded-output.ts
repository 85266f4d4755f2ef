import { writeSync } from 'node:fs';

/** Characters of lines that are written together, lines that are made together, and milliseconds for which they wait. */
const BLOCK = 16_384;
const MAX_UNMADE = 64;
const INTERVAL_MS = 100;

/** Bytes that may wait for a reader that doesn't read. */
const MAX_WAITING = 1_048_576;

/** Milliseconds for such a reader when the process ends, and between attempts. */
const LAST_WAIT_MS = 1_000;
const PAUSE_MS = 10;

/**
 * Writes lines to a file, or to a pipe that doesn't block (Node has made stdout one), whose reader may hang: what it doesn't
 * take is kept up to a bound, and what is beyond is dropped.
 *
 * @param onResumed called with the number of lines dropped when the reader reads again
 */
export function boundedOutput(fd: number, onResumed: (dropped: number) => void) {
  /** A write costs more than the rest of a line. */
  let pending = '';
  let unmade: (() => string)[] = [];
  let waiting: Buffer = Buffer.alloc(0);
  let dropped = 0;
  let untold = 0;

  /** Whether it would be in vain to wait: the reader has gone, or the disk is full. */
  let isBroken = false;

  /** Whether the log has taken something, and nothing waits any more. */
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
  /** Whether something waits for a reader. */
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
    /** Makes the line together with others, when it is written: one by one they cost several times as much. */
    writeLater: (line: () => string): void => {
      unmade.push(line);
      if (unmade.length >= MAX_UNMADE) {
        flush();
      }
    },
    /** Waits for a reader, but not for ever. */
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
