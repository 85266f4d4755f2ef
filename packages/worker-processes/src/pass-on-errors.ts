import type { Readable } from 'node:stream';
import { passOnLines } from './whole-lines.ts';

/** Bytes that may wait for a reader that doesn't read. */
const MAX_WAITING = 1_048_576;

/**
 * Passes on what workers write to stderr: warnings of Node's, and why they crashed. A worker that inherited stderr would have
 * it block (libuv, when a child starts, and Node, when it ends), and stdout with it where both are one pipe: a reader that
 * hangs would then stop this process. What such a reader doesn't take is dropped.
 *
 * @returns what passes on the stderr of one worker
 */
export function createErrorOutput(): (stream: Readable) => void {
  process.stderr.off('error', ignore).on('error', ignore);
  return (stream) => {
    passOnLines(stream, (lines) => {
      if (process.stderr.writableLength < MAX_WAITING) process.stderr.write(lines);
    });
  };
}

/** Its reader may have gone: nobody is left to be told. */
function ignore(): void {
  // Nothing is to be done.
}
