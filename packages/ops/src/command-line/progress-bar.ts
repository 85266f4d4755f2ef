import type { Output } from './command.ts';

const WIDTH = 30;

/**
 * A line on a terminal that shows how much of a total is done; elsewhere nothing is written.
 *
 * @param total of whatever is counted
 * @returns draws it; without an argument, clears it
 */
export function progressBar(stream: Output, total: number): (done?: number) => void {
  return (done) => {
    if (stream.isTTY !== true) return;
    const share = (done ?? 0) / total;
    const bar = '█'.repeat(share * WIDTH).padEnd(WIDTH, '░');
    const percent = String(Math.floor(share * 100)).padStart(3);
    const text = done === undefined ? '' : `${bar} ${percent} %  ${done.toLocaleString('en')}`;
    stream.write(`\r\u001B[K${text}`);
  };
}
