import type { Output } from './command.ts';

const WIDTH = 30;

export interface ProgressBar {
  readonly show: (done: number) => void;
  /** Leaves an empty line, for whatever is said next. */
  readonly clear: () => void;
}

/** A line on a terminal that tells how much of a total is done; nowhere else is anything written. */
export function progressBar(stream: Output, total: number): ProgressBar {
  const write = (text: string) => {
    if (stream.isTTY) {
      stream.write(`\r\u001B[K${text}`);
    }
  };
  return {
    show: (done) => {
      const share = done / total;
      const filled = Math.floor(share * WIDTH);
      const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
      const percent = String(Math.floor(share * 100)).padStart(3);
      write(`${bar} ${percent} %  ${done.toLocaleString('en')}`);
    },
    clear: () => {
      write('');
    },
  };
}
