import type { Readable } from 'node:stream';

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
