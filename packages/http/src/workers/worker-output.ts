import type { Readable } from 'node:stream';

/** Bytes that may wait for a reader that doesn't read. */
const MAX_WAITING = 1_048_576;

/**
 * Passes on what a process writes, whole lines at a time: the lines of several that share a pipe would interleave where a
 * write is longer than PIPE_BUF. Half a line that a killed process leaves is dropped.
 */
export function passOnLines(stream: Readable, write: (lines: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1;
    if (end === 0) {
      rest += text;
    } else {
      write(rest + text.slice(0, end));
      rest = text.slice(end);
    }
  });
}

/**
 * Passes on what a worker writes to stderr: warnings of Node's, and why it crashed. A worker that inherited stderr would have
 * it block (libuv, when a child starts, and Node, when it ends), and stdout with it where both are one pipe: a reader that
 * hangs would then stop this process. What such a reader doesn't take is dropped.
 */
export function passOnErrors(stream: Readable): void {
  process.stderr.off('error', ignore).on('error', ignore);
  passOnLines(stream, (lines) => {
    if (process.stderr.writableLength < MAX_WAITING) process.stderr.write(lines);
  });
}

/** The reader may have gone: nobody is left to report that to. */
function ignore(): void {
  // Nothing is to be done.
}
